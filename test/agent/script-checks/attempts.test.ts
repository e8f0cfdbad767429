import { describe, expect, it } from "vitest";
import type { JobMaterial } from "#contract/agent-protocol.ts";
import { checkTypes } from "#contract/checks/index.ts";
import type { RunProgress } from "#contract/run-progress.ts";
import type { PlaywrightEngine } from "../../../src/agent/playwright/playwright-engine.ts";
import { noSandbox } from "../../../src/agent/sandbox/no-sandbox.ts";
import { checkDetails } from "../../support/check-details.ts";
import { attemptsWith, type Given, variable } from "../scripts/scripted-attempts.ts";
import { smallEngine } from "./small-engine.ts";

const settings = {
  script: "import './snippets/login'; process.env.TOKEN",
  scriptPath: "tests/shop.spec.ts",
  dependencies: [{ path: "lib/a.ts", content: "1" }],
};
const given = (checkType: "BROWSER" | "MULTI_STEP", changes: Partial<Given> = {}): Given => ({
  request: {},
  checkType,
  settings,
  ...changes,
});
const attempts = (engine: PlaywrightEngine | null, environment = {}) => attemptsWith(noSandbox, environment, engine);
const material = (changes: Partial<JobMaterial>): { readonly material: Partial<JobMaterial> } => ({ material: changes });

describe("an attempt of a check that is a script", () => {
  it("hands the engine the script with its files, snippets, variables and certificates", async () => {
    const engine = smallEngine(() => ({}));
    const certificate = { host: "shop.example", cert: "c", ca: null, key: "private", passphrase: null };
    const variables = [variable("TOKEN", "s3cr3t-token", true), variable("NODE_OPTIONS", "--inspect"), variable("SHOP", "https://a")];
    const report = await attempts(engine, { SERVICE_SECRET_PIN: "4711-0815", SERVICE_SECRET_OTHER: "not-named" }).report(
      given("BROWSER", {
        settings: { ...settings, script: "process.env.SERVICE_SECRET_PIN" },
        ...material({ snippets: { login: "1", "util.ts": "2" }, variables, certificates: [certificate] }),
      }),
    );
    expect(report).toMatchObject({ hasFailures: false, hasErrors: false, checkType: "BROWSER", responseTimeMs: 1_000, statusCode: null });
    const [task] = engine.tasks;
    expect(task).toMatchObject({
      type: "BROWSER",
      runtimeId: "2026.04",
      scriptPath: "tests/shop.spec.ts",
      files: [{ path: "lib/a.ts" }, { path: "tests/snippets/login.js" }, { path: "tests/snippets/util.ts" }],
      certificates: [certificate],
      environment: { TOKEN: "s3cr3t-token", SHOP: "https://a", SERVICE_SECRET_PIN: "4711-0815", SERVICE: "1", CHECK_TYPE: "BROWSER" },
      limitMs: 240_000,
    });
    expect(task?.environment).not.toHaveProperty("NODE_OPTIONS");
    expect(task?.environment).not.toHaveProperty("SERVICE_SECRET_OTHER");
    expect(task?.secrets).toEqual(expect.arrayContaining(["s3cr3t-token", "4711-0815", "private"]));
    expect(JSON.stringify(report.detail.jobLog)).toContain("scripts go without variables of these names: NODE_OPTIONS");
  });

  it("tells how far it is where somebody looks on, without secrets", async () => {
    const progress: RunProgress = {
      phase: "testing",
      testsDone: 0,
      step: "buys › fill s3cr3t-token",
      log: [{ time: 1, level: "INFO", msg: "s3cr3t-token" }],
      picture: "/9j/2Q==",
    };
    const told: RunProgress[] = [];
    const engine = smallEngine((_task, _signal, onProgress) => {
      onProgress?.(progress);
      return {};
    });
    const tellProgress = () => (one: RunProgress) => void told.push(one);
    const secret = material({ variables: [variable("TOKEN", "s3cr3t-token", true)] });
    await attemptsWith(noSandbox, {}, engine, tellProgress).report(given("BROWSER", secret));
    expect(told).toEqual([]);
    await attemptsWith(noSandbox, {}, engine, tellProgress).report(given("BROWSER", { ...secret, payload: { isWatched: true } }));
    expect(told).toEqual([{ ...progress, step: "buys › fill ********", log: [{ time: 1, level: "INFO", msg: "********" }] }]);
  });

  it.each(["BROWSER", "MULTI_STEP"] as const)("masks secrets in every text of a result of type %s, which keeps its form", async (type) => {
    const canary = "ca-n4ry";
    const filled = withCanary(checkDetails[type], canary) as object;
    const engine = smallEngine(() => ({ result: filled, outcome: "failed", files: [] }));
    const outcome = await attempts(engine).outcome(given(type, material({ variables: [variable("TOKEN", canary, true)] })));
    if (outcome.is !== "reported") throw new Error("nothing was reported");
    const text = JSON.stringify(outcome.report);
    expect(text).not.toContain(canary);
    expect(text.split("********").length).toBeGreaterThan(20);
    expect(checkTypes[type].result.safeParse(outcome.report.detail).error?.issues ?? []).toEqual([]);
    expect(outcome.secrets).toContain(canary);
  });

  it("keeps a text within its bound that masking made longer", async () => {
    const [error] = checkDetails.MULTI_STEP.errors;
    const engine = smallEngine(() => ({ result: { errors: [{ ...error, message: "ab3d".repeat(2_500) }] }, outcome: "failed" }));
    const { detail } = await attempts(engine).report(given("MULTI_STEP", material({ variables: [variable("TOKEN", "ab3d", true)] })));
    expect(checkTypes.MULTI_STEP.result.safeParse(detail).success).toBe(true);
    expect(JSON.stringify(detail)).not.toContain("ab3d");
  });

  it("hands files on, of a run that passed, too", async () => {
    const file = { name: "trace.zip", type: "trace", contentType: "application/zip", content: Buffer.from("x") } as const;
    const outcome = await attempts(smallEngine(() => ({ files: [file] }))).outcome(given("BROWSER"));
    expect(outcome).toMatchObject({ is: "reported", files: [file] });
  });

  it.each([
    ["passes", "passed", false, { hasFailures: false, isDegraded: false, errorMessage: null }],
    [
      "fails",
      "failed",
      false,
      {
        hasFailures: true,
        hasErrors: false,
        errorMessage: expect.stringMatching(
          /^the shop takes an order: order a book: expect\(received\)\.toBe failed: expected 200, received 503$/,
        ),
      },
    ],
    ["is degraded", "degraded", false, { hasFailures: false, isDegraded: true }],
    ["fails where it should not pass", "passed", true, { hasFailures: true, errorMessage: "expected the script to fail, but it passed" }],
    ["passes where it should fail", "failed", true, { hasFailures: false, isDegraded: false }],
  ] as const)("%s", async (_title, outcome, shouldFail, verdict) => {
    const engine = smallEngine(() => ({ outcome, ...(outcome === "passed" && { result: { errors: [], steps: [] } }) }));
    expect(await attempts(engine).report(given("MULTI_STEP", { settings: { ...settings, shouldFail } }))).toMatchObject(verdict);
  });

  it("is degraded by what its script said, and says why", async () => {
    const engine = smallEngine(() => ({
      outcome: "degraded",
      result: { errors: [], steps: [], degradedBy: ["the shop is out of tides"] },
    }));
    const verdict = { hasFailures: false, isDegraded: true, errorMessage: "the shop is out of tides" };
    expect(await attempts(engine).report(given("BROWSER"))).toMatchObject(verdict);
  });

  it.each([
    [true, true, "the shop takes an order: passed only when it was tried again"],
    [false, false, null],
  ])("with flakyIsDegraded %s a test that passed on a retry makes it degraded: %s", async (flakyIsDegraded, isDegraded, errorMessage) => {
    const [one] = checkDetails.MULTI_STEP.tests;
    const engine = smallEngine(() => ({ result: { errors: [], steps: [], tests: [{ ...one, status: "flaky" }] } }));
    const report = await attempts(engine).report(given("MULTI_STEP", { settings: { ...settings, flakyIsDegraded } }));
    expect(report).toMatchObject({ hasFailures: false, isDegraded, errorMessage });
  });

  it("is an error, whatever should fail, where the script could not be judged", async () => {
    const failure = { code: "ETIMEDOUT", message: "the script took more than 240 s", side: "target" } as const;
    const engine = smallEngine(() => ({ failure, outcome: "failed" }));
    const report = await attempts(engine).report(given("BROWSER", { settings: { ...settings, shouldFail: true } }));
    expect(report).toMatchObject({ hasFailures: true, hasErrors: true, agentSide: false });
    expect(report.errorMessage).toBe("ETIMEDOUT: the script took more than 240 s");
  });

  it.each([
    ["no engine", null, "2026.04", "BROWSER on runtime 2026.04 does not run at this agent: outpost runtime install 2026.04"],
    ["another runtime", smallEngine(() => ({})), "2024.02", "outpost runtime install 2024.02"],
    ["a runtime without the type", smallEngine(() => ({})), "2023.02", "multistep checks came with 2023.09"],
  ] as const)("is the agent's own trouble with %s", async (_title, engine, runtimeId, words) => {
    const type = engine === null ? "BROWSER" : "MULTI_STEP";
    const report = await attempts(engine).report(given(type, { payload: { runtimeId } }));
    expect(report).toMatchObject({ hasErrors: true, agentSide: true, detail: null });
    expect(report.errorMessage).toContain(words);
  });

  it("is refused where a file would leave its folder", async () => {
    const engine = smallEngine(() => ({}));
    for (const path of ["../x.js", "/x.js", "a/../../x.js", "a\\x.js"]) {
      const report = await attempts(engine).report(given("BROWSER", { settings: { ...settings, dependencies: [{ path, content: "1" }] } }));
      expect(report).toMatchObject({ agentSide: true, errorMessage: expect.stringContaining("leaves the folder") });
    }
    expect(engine.tasks).toEqual([]);
  });

  it("fits into a report, however much the pages say", async () => {
    const [line] = checkDetails.BROWSER.console;
    const [request] = checkDetails.BROWSER.requests;
    const long = {
      console: Array.from({ length: 500 }, () => ({ ...line, text: "x".repeat(4_000) })),
      requests: Array.from({ length: 500 }, () => ({ ...request, url: `https://a/${"y".repeat(4_000)}` })),
    };
    const { detail } = await attempts(smallEngine(() => ({ result: long }))).report(given("BROWSER"));
    expect(JSON.stringify(detail).length).toBeLessThan(1_000_000);
    expect(checkTypes.BROWSER.result.parse(detail)).toMatchObject({ tests: checkDetails.BROWSER.tests, steps: checkDetails.BROWSER.steps });
  });
});

/** The same with a secret in each text that is not one of few words. */
function withCanary(value: unknown, canary: string, key = ""): unknown {
  if (Array.isArray(value)) return value.map((one) => withCanary(one, canary));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withCanary(member, canary, name)]));
  const isWord = ["status", "level", "type", "score", "scriptEgress", "category"].includes(key);
  return typeof value === "string" && !isWord ? `${value} ${canary} ${encodeURIComponent(canary)}` : value;
}
