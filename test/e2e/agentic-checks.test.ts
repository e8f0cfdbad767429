import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CheckResult } from "../../src/contract/check-results.ts";
import { type ScriptedModel, scriptedModel } from "../agent/agentic/scripted-model.ts";
import { type Shop, shop, shopPassword } from "../agent/agentic/shop.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { findSecret } from "../support/find-secret.ts";
import { noPlaywright, playwrightRuntime, runtimesFolder } from "../support/playwright-runtime.ts";
import { until } from "../support/processes.ts";
import { type AgentProcess, Site } from "../support/site.ts";

const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());

/** From REST to the result, by real processes, a real browser, and an endpoint that answers from what it was sent. */
describe.skipIf(noPlaywright !== null).each(engines.list)("agentic checks, on $name", ({ databaseUrl }) => {
  const made = new AsyncDisposableStack();
  let site: Site;
  let agent: AgentProcess;
  let endpoint: ScriptedModel;
  let target: Shop;
  beforeAll(async () => {
    endpoint = made.use(await scriptedModel());
    site = made.use(await Site.start({ databaseUrl: await databaseUrl(), env: { QUEUE_WAIT_SECONDS: "10" } }));
    const model = { AGENTIC_MODEL_URL: `${endpoint.url}/v1`, AGENTIC_MODEL: "small", AGENTIC_KEY: endpoint.key };
    agent = await site.agent(await site.location("north"), { RUNTIMES_DIR: runtimesFolder, ...model }).ready();
  }, 120_000);
  afterAll(() => made.disposeAsync());
  beforeEach(async () => {
    endpoint.mode = "good";
    endpoint.asked.length = 0;
    target = made.use(await shop());
  });

  const create = async (more: object = {}): Promise<string> => {
    const body = {
      checkType: "AGENTIC",
      name: "signs in",
      prompt: `Open ${target.url}/ and sign in as ann with the password from SHOP_PASSWORD. The shop has to greet Ann.`,
      privateLocations: ["north"],
      frequency: 1440,
      runtimeId: playwrightRuntime,
      retryStrategy: null,
      environmentVariables: [{ key: "SHOP_PASSWORD", value: shopPassword, secret: true }],
      ...more,
    };
    return (await site.api<{ id: string }>("POST", "/v1/checks", body)).id;
  };
  const run = async (id: string): Promise<CheckResult> => {
    for (const session of await site.trigger(id)) await site.ended(session, 120_000);
    const [newest] = await site.results(id);
    if (newest === undefined) throw new Error("no result");
    return newest;
  };

  it("ask a model once and repeat its steps: ten runs, the same verdict, no secret anywhere", { timeout: 300_000 }, async () => {
    const id = await create();
    const results: CheckResult[] = [];
    for (let count = 0; count < 10; count += 1) results.push(await run(id));
    expect(results.map(({ errorMessage, hasFailures, hasErrors }) => [errorMessage, hasFailures, hasErrors])).toEqual(
      results.map(() => [null, false, false]),
    );
    expect(results.map(({ agenticCheckResult: seen }) => seen?.mode)).toEqual(["model", ...Array.from({ length: 9 }, () => "replay")]);
    expect(results.map(({ agenticCheckResult: seen }) => seen?.assertions)).toEqual(
      results.map(() => [{ condition: "a greeting is shown", passed: true, expected: "Hello, Ann", actual: "Hello, Ann" }]),
    );
    expect(endpoint.asked).toHaveLength(6);
    for (const text of [...endpoint.asked, JSON.stringify(results), agent.stderr, agent.stdout])
      expect(findSecret(Buffer.from(text), shopPassword)).toEqual([]);
    expect(JSON.stringify(results) + agent.stderr + agent.stdout).not.toContain(endpoint.key);
    const { entries } = await site.api<{ entries: { resourceId: string; fields: string[] }[] }>(
      "GET",
      "/v1/audit-log?operation=askAgenticModel",
    );
    expect(entries).toMatchObject([{ resourceId: id, fields: expect.arrayContaining(["model small", "calls 6"]) as unknown }]);
    const day = `from=${Math.floor(Date.now() / 1000) - 3600}&to=${Math.floor(Date.now() / 1000) + 3600}`;
    const { series } = await site.api<{ series: { data: Record<string, number>[] }[] }>(
      "GET",
      `/v1/analytics/agentic-checks/${id}?${day}&metrics=availability,responseTime_p95`,
    );
    expect(series[0]?.data[0]).toMatchObject({ availability: 100 });
  });

  it("begin anew where prompt or secret changed", { timeout: 180_000 }, async () => {
    const id = await create();
    expect([await run(id), await run(id)].map(({ agenticCheckResult: seen }) => seen?.mode)).toEqual(["model", "replay"]);
    await site.api("PUT", `/v1/checks/${id}`, { allowedHosts: ["login.example.com"] });
    expect((await run(id)).agenticCheckResult?.mode).toBe("model");
    await site.api("PUT", `/v1/checks/${id}`, { environmentVariables: [{ key: "SHOP_PASSWORD", value: "another-Pass-1", secret: true }] });
    const wrong = await run(id);
    expect([wrong.agenticCheckResult?.mode, wrong.hasFailures]).toEqual(["model", true]);
    expect(wrong.errorMessage).toMatch(/^a greeting is shown: expected Hello, Ann, saw Wrong password$/);
    const names = await until("a trace and a picture", async () => {
      const { assets } = await site.api<{ assets: { name: string }[] }>("GET", `/v1/check-results/${id}/${wrong.id}/assets`);
      const all = assets.map(({ name }) => name);
      return all.some((name) => name.endsWith(".zip")) && all.some((name) => name.endsWith(".png")) && all;
    });
    for (const name of names) {
      const bytes = Buffer.from(await (await site.fetch(`/v1/check-results/${id}/${wrong.id}/assets/${name}`)).arrayBuffer());
      expect([name, findSecret(bytes, "another-Pass-1")]).toEqual([name, []]);
    }
  });

  it("are missed where no agent has a model, with what brings one", { timeout: 180_000 }, async () => {
    await site.agent(await site.location("south"), { RUNTIMES_DIR: runtimesFolder }).ready();
    const id = await create({ privateLocations: ["south"] });
    expect(await run(id)).toMatchObject({
      resultType: "MISSED",
      missedReason: "no_agent",
      errorMessage: expect.stringMatching(
        /^NO_CAPABLE_AGENT: needs BROWSER on runtime 2026\.04 of an agent that has AGENTIC_MODEL_URL and AGENTIC_MODEL, which no agent/,
      ) as unknown,
    });
  });

  it("blame no target where the model is down, and an account can do without one", { timeout: 180_000 }, async () => {
    endpoint.mode = "fails";
    const id = await create();
    const down = await run(id);
    expect(down).toMatchObject({ agentSide: true, hasErrors: true, errorMessage: "EMODEL: The model's endpoint failed (status 500)." });
    endpoint.mode = "good";
    await site.api("PATCH", "/v1/accounts/me", { settings: { agenticModel: "off" } });
    try {
      const asked = endpoint.asked.length;
      expect(await run(id)).toMatchObject({
        agentSide: true,
        errorMessage: expect.stringContaining("settings.agenticModel is off") as unknown,
      });
      expect(endpoint.asked).toHaveLength(asked);
    } finally {
      await site.api("PATCH", "/v1/accounts/me", { settings: { agenticModel: "on" } });
    }
    expect((await run(id)).hasFailures).toBe(false);
  });
});
