import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { checkTypes } from "#contract/checks/index.ts";
import { scriptLimits } from "../../../src/agent/sandbox/script-limits.ts";
import { jobUuid, resultUuid } from "../../../src/control-plane/kinds/ids.ts";
import { AppError } from "../../../src/domain/app-error.ts";
import { type EchoedRequest, echo, type HttpServer, httpServer } from "../../support/http-servers/http-server.ts";
import { SandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { type Attempts, attemptsWith, logged, variable } from "./scripted-attempts.ts";

let tested: SandboxUnderTest;
let attempts: Attempts;
let server: HttpServer;
let asked = 0;

beforeAll(async () => {
  tested = await SandboxUnderTest.start();
  attempts = attemptsWith(tested.sandbox, { SERVICE_SECRET_AGENT: "only-the-agent-knows" });
  server = await httpServer((request, response) => {
    asked += 1;
    echo(request, response);
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await tested[Symbol.asyncDispose]();
});

const post = (more: object = {}): object => ({ method: "POST", url: `${server.url}/`, bodyType: "RAW", ...more });
const bodyIs = (comparison: string, target: string): object => ({ source: "TEXT_BODY", comparison, target });

/** What the server was sent, as the result shows it. */
function seen({ detail }: Awaited<ReturnType<Attempts["report"]>>): EchoedRequest {
  return JSON.parse(detail.response?.body ?? "null") as EchoedRequest;
}

describe("a run with scripts", () => {
  it("runs setup, request, teardown and assertions, each with what the one before it left", async () => {
    const report = await attempts.report({
      request: post({ body: "one", assertions: [bodyIs("EQUALS", "stripped")] }),
      setup: [
        { name: "group setup script", code: 'process.env.ORDER = "group"; console.log("first")' },
        { name: "setup script", code: 'request.body = process.env.ORDER + ", check"; console.warn("second")' },
      ],
      teardown: [
        { name: "teardown script", code: "response.body = JSON.parse(response.body).body; console.log(process.env.ORDER)" },
        { name: "group teardown script", code: 'console.log(response.body); response.body = "stripped"' },
      ],
    });
    expect(report).toMatchObject({ hasFailures: false, hasErrors: false, agentSide: false, errorMessage: null, statusCode: 200 });
    expect(logged(report, "setup")).toEqual(["INFO first", "WARN second"]);
    expect(logged(report, "request")).toEqual([`INFO POST ${server.url}/`, expect.stringMatching(/^INFO answered with 200 after \d+ ms$/)]);
    expect(logged(report, "teardown")).toEqual(["INFO group", "INFO group, check"]);
    expect(report.detail.response?.body).toBe("stripped");
    expect(report.detail.sandboxLevel).toBe(tested.sandbox.level);
    expect(report.detail.scriptEgress).toBe(tested.sandbox.egressWall);
    expect(checkTypes.API.result.parse(report.detail)).toEqual(report.detail);
  });

  it("signs its request with a secret variable, and strips the answer", async () => {
    const body = '{"item":7}';
    const report = await attempts.report({
      request: post({ body, headers: [{ key: "X-Kept", value: "1" }], assertions: [bodyIs("EQUALS", '{"body":"{\\"item\\":7}"}')] }),
      setup: `import { createHmac } from "node:crypto";
        const key: string = process.env.SIGNING_KEY!;
        request.headers["X-Signature"] = createHmac("sha256", key).update(request.body).digest("hex");
        console.log("signing with " + key);`,
      teardown: `const { body, headers } = JSON.parse(response.body);
        console.log(headers["x-signature"], headers["x-kept"]);
        response.body = JSON.stringify({ body });`,
      material: { variables: [variable("SIGNING_KEY", "a-key-to-sign-with", true)] },
    });
    expect(report).toMatchObject({ hasFailures: false, errorMessage: null });
    const signature = createHmac("sha256", "a-key-to-sign-with").update(body).digest("hex");
    expect(logged(report, "teardown")).toEqual([`INFO ${signature} 1`]);
    expect(logged(report, "setup")).toEqual(["INFO signing with ********"]);
  });

  it("keeps the times of its scripts out of the response time", async () => {
    const pause = "await new Promise((resolve) => setTimeout(resolve, 400))";
    const report = await attempts.report({ request: post(), setup: pause, teardown: pause });
    expect(report.stoppedAt - report.startedAt).toBeGreaterThan(790);
    expect(report.responseTimeMs).toBeLessThan(report.stoppedAt - report.startedAt - 790);
    expect(report.responseTimeMs).toBe(report.detail.response?.timingPhases.total);
  });

  it("leaves nothing to the next run", async () => {
    const leave = 'globalThis.left = 1; process.env.LEFT = "1"; Object.prototype.left = 1';
    await attempts.report({ request: post(), setup: leave, teardown: leave });
    const look = "request.body = [typeof left, process.env.LEFT, ({}).left].join()";
    expect(seen(await attempts.report({ request: post(), setup: look })).body).toBe("undefined,,");
  });

  it("loads snippets of the account", async () => {
    const report = await attempts.report({
      request: post(),
      setup: 'request.body = require("./snippets/sign.js").sign("x")',
      material: { snippets: { sign: 'exports.sign = (text) => text + " signed"' } },
    });
    expect(seen(report).body).toBe("x signed");
  });
});

describe("a script that fails (B-14)", () => {
  it.each([
    ["throws", 'throw new Error("no luck")', /^setup script failed: Error: no luck \(line 1\)$/],
    ["cannot be read", "const const", /^setup script cannot be read: /],
    [
      "leaves a method that is none",
      'request.method = "FETCH"',
      /^setup left a request that cannot be sent: request\.method must be one of GET, .*; received "FETCH"$/,
    ],
    ["leaves no text", "request.url = {}", /^setup script left request\.url as an object; it must be a text$/],
  ])("in setup: it %s, and nothing is sent, evaluated or torn down", async (_title, setup, message) => {
    const before = asked;
    const report = await attempts.report({
      request: post({ assertions: [bodyIs("EQUALS", "x")] }),
      setup,
      teardown: 'console.log("torn down")',
    });
    expect(asked).toBe(before);
    expect(report).toMatchObject({
      hasFailures: true,
      hasErrors: true,
      agentSide: false,
      isCancelled: false,
      statusCode: null,
      responseTimeMs: 0,
    });
    const { detail, errorMessage } = report;
    const told = errorMessage?.replace("ESCRIPT: ", "");
    expect(told).toMatch(message);
    expect(detail).toMatchObject({ response: null, assertions: null, requestError: `ESCRIPT: ${told}` });
    expect(logged(report, "setup")).toEqual([`ERROR ${told}`]);
    expect(detail.jobLog).toMatchObject({ request: [], teardown: [] });
    expect(checkTypes.API.result.parse(detail)).toEqual(detail);
  });

  it("in setup, by taking too long, keeps the request from being sent too", async () => {
    await using quick = await SandboxUnderTest.start({ limits: { ...scriptLimits, scriptMs: 500 } });
    const before = asked;
    const report = await attemptsWith(quick.sandbox).report({ request: post(), setup: "for (;;);", teardown: 'console.log("torn down")' });
    expect(asked).toBe(before);
    expect(report).toMatchObject({ hasErrors: true, errorMessage: "ESCRIPT: setup script took longer than 0.5 s, the limit of a script" });
    expect(report.detail.jobLog?.teardown).toEqual([]);
  });

  it("in setup is no network error, so it is not what onlyOn NETWORK_ERROR retries", async () => {
    const outcome = await attempts.outcome({ request: post(), setup: "throw 1" });
    expect(outcome).toMatchObject({ is: "reported", networkError: false, inquiry: null });
  });

  it("in teardown: the assertions are still evaluated, on the answer as it came, and the check fails", async () => {
    const report = await attempts.report({
      request: post({ body: "x", assertions: [bodyIs("CONTAINS", '"body":"x"'), bodyIs("EQUALS", "y")] }),
      teardown: 'response.body = "y"; throw new Error("no luck")',
    });
    expect(report).toMatchObject({ hasFailures: true, hasErrors: false, statusCode: 200 });
    expect(report.errorMessage).toBe("teardown script failed: Error: no luck (line 1)");
    expect(report.detail.assertions?.map(({ error }) => error === undefined)).toEqual([true, false]);
    expect(logged(report, "teardown")).toEqual(["ERROR teardown script failed: Error: no luck (line 1)"]);
  });

  it("or a request that does: teardown runs, without an answer", async () => {
    const report = await attempts.report({
      request: { url: "http://127.0.0.1:1/" },
      setup: 'process.env.MADE = "it"',
      teardown: "console.log(response === null, process.env.MADE)",
    });
    expect(report.errorMessage).toMatch(/^ECONNREFUSED/);
    expect(logged(report, "teardown")).toEqual(["INFO true it"]);
    expect(logged(report, "request").at(-1)).toMatch(/^ERROR ECONNREFUSED/);
  });
});

describe("scripts that this agent cannot run", () => {
  it.each([
    [
      "of a runtime that is not installed",
      { runtimeId: "2022.10" },
      "Runtime 2022.10 is not installed at this agent: outpost runtime install 2022.10",
    ],
    ["without a runtime", { runtimeId: null }, "the check has scripts and no runtime: choose one for the check, its group or its account"],
  ])("%s say what to do, on the agent's side", async (_title, payload, errorMessage) => {
    const report = await attempts.report({ request: post(), setup: "1", payload });
    expect(report).toMatchObject({ hasFailures: true, hasErrors: true, agentSide: true, errorMessage });
    expect(attempts.bugs).toEqual([]);
  });

  it("are ignored by other check types", async () => {
    const report = await attempts.report({ request: { url: `${server.url}/` }, checkType: "URL", setup: "throw 1", teardown: "throw 2" });
    expect(report).toMatchObject({ hasFailures: false, errorMessage: null });
  });
});

describe("an abort while a script runs", () => {
  const endless = 'console.log("runs"); await fetch(process.env.TELL); for (;;);';
  it.each([
    ["a lost lease", new AppError("lease_lost", "lost"), { is: "lost" }],
    ["a cancelled run", new AppError("cancelled", "cancelled"), { is: "reported", report: { isCancelled: true } }],
  ])("ends it: %s", async (_title, reason, expected) => {
    const controller = new AbortController();
    const told = await httpServer((_request, response) => {
      response.end();
      controller.abort(reason);
    });
    onTestFinished(() => told[Symbol.asyncDispose]());
    const material = { variables: [variable("TELL", told.url)] };
    const outcome = await attempts.outcome({ request: post(), setup: endless, material, signal: controller.signal });
    expect(outcome).toMatchObject(expected);
    expect(tested.sandbox.state().running).toBe(0);
  });
});

describe("variables and templates of a run", () => {
  it("feed the request; what setup puts into process.env does too", async () => {
    const report = await attempts.report({
      request: post({
        url: `${server.url}/{{REGION}}?q={{QUERY}}`,
        body: "{{TOKEN}} {{MADE}} {{CHECK_NAME}} {{NOWHERE}}",
        headers: [{ key: "X-Plain", value: "{{QUERY}}" }],
        queryParameters: [{ key: "p", value: "{{{QUERY}}}" }],
      }),
      setup: 'process.env.MADE = request.url.endsWith("{{QUERY}}") + "!"; process.env.QUERY += "&"',
      material: { variables: [variable("TOKEN", "t"), variable("QUERY", "a b")] },
    });
    const { url, body, headers } = seen(report);
    expect(url).toBe("/fake-location?q=a%20b%26&p=a%20b%26");
    expect(body).toBe("t true! fake {{NOWHERE}}");
    expect(headers["x-plain"]).toBe("a b&");
    expect(logged(report, "request")[0]).toBe("WARN no variable has these names, so their templates stay as they are: NOWHERE");
  });

  it("has all built-in variables, also in scripts, and they win", async () => {
    const jobId = jobUuid({ no: 77, runAtMs: 1_000 });
    const names =
      "ACCOUNT_ID CHECK_ID CHECK_NAME CHECK_TYPE CHECK_RESULT_ID CHECK_RUN_ID REGION RUNTIME_VERSION GROUP_BASE_URL REQUEST_URL SERVICE";
    const report = await attempts.report({
      jobId,
      attempt: 2,
      request: post(),
      setup: `request.body = JSON.stringify(Object.fromEntries("${names}".split(" ").map((name) => [name, process.env[name]])))`,
      teardown: "console.log(process.env.REQUEST_URL)",
      material: { groupBaseUrl: "https://group.example.com", variables: [variable("REGION", "elsewhere")] },
      payload: { accountId: "a", checkId: "c", checkRunId: 5 },
    });
    expect(JSON.parse(seen(report).body)).toEqual({
      ACCOUNT_ID: "a",
      CHECK_ID: "c",
      CHECK_NAME: "fake",
      CHECK_TYPE: "API",
      CHECK_RESULT_ID: resultUuid({ jobNo: 77, attempt: 2, runAtMs: 1_000 }),
      CHECK_RUN_ID: "5",
      REGION: "fake-location",
      RUNTIME_VERSION: "2026.04",
      GROUP_BASE_URL: "https://group.example.com",
      REQUEST_URL: `${server.url}/`,
      SERVICE: "1",
    });
    expect(logged(report, "teardown")).toEqual([`INFO ${server.url}/`]);
  });

  it("know the agent's own secrets by name", async () => {
    const report = await attempts.report({
      request: post({ body: "{{SERVICE_SECRET_AGENT}}" }),
      teardown: "response.body = String(response.body.includes(process.env.SERVICE_SECRET_AGENT))",
    });
    expect(report.detail.response?.body).toBe("true");
    expect(report.detail.request.data).toBe("********");
  });

  it("warn of secrets that the control plane could not open", async () => {
    const report = await attempts.report({ request: post({ body: "{{GONE}}" }), material: { lostVariables: ["GONE"] } });
    expect(logged(report, "request")[0]).toBe("WARN secret variables that cannot be opened any more, write them again: GONE");
  });

  it("that make no request keep it from being sent", async () => {
    const before = asked;
    const report = await attempts.report({
      request: post({ url: `${server.url}/{{LONG}}` }),
      material: { variables: [variable("LONG", "x".repeat(3_000))] },
    });
    expect(asked).toBe(before);
    expect(report).toMatchObject({ hasFailures: true, hasErrors: true, agentSide: false });
    expect(report.errorMessage).toMatch(/^ETEMPLATE: request\.url must have at most 2048 characters, received 30\d\d characters$/);
  });

  it("of another type without a job log end with the message alone", async () => {
    const report = await attempts.report({
      request: { url: `${server.url}/{{LONG}}` },
      checkType: "URL",
      material: { variables: [variable("LONG", "x".repeat(3_000))] },
    });
    expect(report.errorMessage).toMatch(/^ETEMPLATE/);
    expect(checkTypes.URL.result.parse(report.detail)).toEqual(report.detail);
  });
});

describe("a body that is too long for scripts", () => {
  it("is seen by its beginning, and asserted as a whole", async () => {
    const long = await httpServer((_request, response) => response.end(`${'"'.repeat(400_000)}end`));
    onTestFinished(() => long[Symbol.asyncDispose]());
    const report = await attempts.report({
      request: { url: long.url, assertions: [bodyIs("CONTAINS", "end")] },
      teardown: "console.log(response.body.length > 100_000, response.body.length < 262_144)",
    });
    expect(report.errorMessage).toBeNull();
    expect(logged(report, "teardown")).toEqual(["WARN a body is too long for scripts: they see but the beginning of it", "INFO true true"]);
  });
});
