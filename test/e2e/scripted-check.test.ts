import { createHmac, randomUUID } from "node:crypto";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CheckResult } from "../../src/contract/check-results.ts";
import type { CheckSessionWithResults } from "../../src/contract/check-sessions.ts";
import type { WholeTestSessionResult } from "../../src/contract/test-session-results.ts";
import type { TestSession } from "../../src/contract/test-sessions.ts";
import { findSecret } from "../support/find-secret.ts";
import { echo, type HttpServer, httpServer } from "../support/http-servers/http-server.ts";
import { until } from "../support/processes.ts";
import { makeScriptRuntime, type ScriptRuntime } from "../support/script-runtime.ts";
import { type AgentProcess, Site } from "../support/site.ts";

/** The first is known to control plane and agent, the others to the agent alone. */
const secrets = { signing: "kTz+9f/31c07e2b=signs", file: 'from "a" file & kept', environment: "from-the-environment-7d1" };

let site: Site;
let agent: AgentProcess;
let runtime: ScriptRuntime;
let shop: HttpServer;
let mirror: HttpServer;
const requests: string[] = [];
const made = new AsyncDisposableStack();

beforeAll(async () => {
  runtime = made.use(await makeScriptRuntime());
  shop = made.use(await signedShop());
  mirror = made.use(
    await httpServer((request, response) => {
      requests.push(request.url ?? "");
      echo(request, response);
    }),
  );
  site = made.use(await Site.start());
  const folder = join(site.folder, "secrets");
  await mkdir(folder);
  await writeFile(join(folder, "db-password"), `${secrets.file}\n`, { mode: 0o600 });
  await chmod(folder, 0o700);
  const key = await site.location("north");
  const own = { SECRETS_DIR: folder, SERVICE_SECRET_OF_ENV: secrets.environment };
  agent = await site.agent(key, { RUNTIMES_DIR: runtime.folder, ...own }).ready();
}, 120_000);

afterAll(() => made.disposeAsync());

/** Takes orders that are signed, and tells more of them than it should: what it was sent, and what changes with every answer. */
function signedShop(): Promise<HttpServer> {
  return httpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const expected = createHmac("sha256", secrets.signing).update(body).digest("hex");
      const isSigned = request.headers["x-signature"] === expected;
      response.writeHead(isSigned ? 200 : 401, { "content-type": "application/json", "x-key": encodeURIComponent(secrets.signing) });
      const leaks = { key: secrets.signing, base64: Buffer.from(`key=${secrets.signing}`).toString("base64"), order: body.toString() };
      response.end(JSON.stringify({ state: isSigned ? "taken" : "refused", id: randomUUID(), ...leaks }));
    });
  });
}

interface Ran {
  readonly checkId: string;
  readonly session: CheckSessionWithResults;
  readonly results: readonly CheckResult[];
  readonly result: CheckResult;
}

/** Makes a check, runs it once, and waits for its end. */
async function ran(body: object): Promise<Ran> {
  const checkId = await site.check(mirror.url, ["north"], { runtimeId: "2026.04", ...body });
  const [session] = await site.trigger(checkId);
  if (session === undefined) throw new Error("nothing was triggered");
  const ended = await site.ended(session);
  const results = await site.results(checkId);
  const result = results.find(({ resultType }) => resultType !== "ATTEMPT");
  if (result === undefined) throw new Error("the run has no end");
  return { checkId, session: ended, results, result };
}

function said({ apiCheckResult }: CheckResult, phase: "setup" | "request" | "teardown"): string[] {
  return (apiCheckResult?.jobLog?.[phase] ?? []).map(({ level, msg }) => `${level} ${msg}`);
}

function post(more: object = {}): object {
  return { method: "POST", url: mirror.url, bodyType: "RAW", ...more };
}

/** The body that the mirror was sent. */
function sentBody({ apiCheckResult }: CheckResult): string {
  return (JSON.parse(apiCheckResult?.response?.body ?? "{}") as { body: string }).body;
}

const stripped = '{"state":"taken"}';
const signs = `
  import { createHmac } from "node:crypto";
  interface Order { item: number }
  const order: Order = JSON.parse(request.body);
  const key: string = process.env.SIGNING_KEY!;
  request.headers["X-Signature"] = createHmac("sha256", key).update(request.body).digest("hex");
  console.log("signed the order of item", order.item, "with", key);
  console.debug(Buffer.from(key).toString("base64"), Buffer.from(key).toString("hex"), encodeURIComponent(key), JSON.stringify({ key }));
`;
const strips = `
  const { state, key } = JSON.parse(response.body);
  console.warn("the answer has a key in it: " + key);
  response.body = JSON.stringify({ state });
`;

describe("a check that signs its request and strips the answer", () => {
  let done: Ran;

  beforeAll(async () => {
    await site.api("POST", "/v1/variables", { key: "SIGNING_KEY", value: secrets.signing, secret: true });
    const assertions = [
      { source: "STATUS_CODE", comparison: "EQUALS", target: "200" },
      { source: "TEXT_BODY", comparison: "EQUALS", target: stripped },
    ];
    const request = { method: "POST", url: shop.url, bodyType: "JSON", body: '{"item": 7}', assertions };
    done = await ran({ request, localSetupScript: signs, localTearDownScript: strips });
  }, 120_000);

  it("passes against a server that verifies the signature, its assertions on the stripped body", () => {
    expect(done.result).toMatchObject({ hasFailures: false, hasErrors: false, errorMessage: null, resultType: "FINAL" });
    expect(done.session.status).toBe("PASSED");
    const { response, assertions, request } = done.result.apiCheckResult ?? {};
    expect(response).toMatchObject({ status: 200, body: stripped });
    expect(assertions?.map(({ error }) => error ?? null)).toEqual([null, null]);
    expect(request?.data).toBe('{"item": 7}');
  });

  it("tells what its scripts wrote, and how well they were kept apart", async () => {
    expect(said(done.result, "setup")[0]).toBe("INFO signed the order of item 7 with ********");
    expect(said(done.result, "request")).toContain(`INFO POST ${shop.url}`);
    expect(said(done.result, "teardown")).toEqual(["WARN the answer has a key in it: ********"]);
    const { sandbox } = await agent.health();
    expect(sandbox.level).toBeGreaterThan(0);
    expect(done.result.apiCheckResult?.sandboxLevel).toBe(sandbox.level);
  });

  it("has the secret in no form in its result, session, logs or metrics", async () => {
    const told = [
      JSON.stringify(await site.api("GET", `/v1/check-results/${done.checkId}/${done.result.id}`)),
      JSON.stringify(done.session),
      JSON.stringify(await site.api("GET", "/v1/variables")),
      agent.stderr + agent.stdout,
      site.controlPlane.stderr + site.controlPlane.stdout,
      (await agent.probe("/metrics"))?.text ?? "",
    ];
    for (const text of told) expect(findSecret(Buffer.from(text), secrets.signing)).toEqual([]);
    expect(
      findSecret(Buffer.from(JSON.stringify({ a: Buffer.from(`-${secrets.signing}`).toString("base64") })), secrets.signing),
    ).not.toEqual([]);
  });

  it("fails where the signature is wrong", async () => {
    const request = { method: "POST", url: shop.url, bodyType: "JSON", body: '{"item": 7}', assertions: [] };
    const { result } = await ran({ request, localSetupScript: `${signs}\nrequest.body += " ";`, localTearDownScript: strips });
    expect(result).toMatchObject({ hasFailures: true, hasErrors: false });
    expect(result.apiCheckResult?.response).toMatchObject({ status: 401, body: '{"state":"refused"}' });
  }, 120_000);
});

describe("scripts of a group and its checks", () => {
  it("run group, check, check, group, by snippet or not, and share snippets", async () => {
    const mark = "exports.mark = (name) => (process.env.ORDER = (process.env.ORDER ?? '') + name);";
    await site.api("POST", "/v1/snippets", { name: "marks", script: mark });
    const script = 'require("./snippets/marks.js").mark("group setup, "); console.log(process.env.ORDER);';
    const setup = await site.api<{ id: number }>("POST", "/v1/snippets", { name: "opens", script });
    const teardown = 'const { mark } = await import("./snippets/marks.js"); response.body = mark("group teardown");';
    const group = await site.api<{ id: number }>("POST", "/v2/check-groups", {
      name: "ordered",
      setupSnippetId: setup.id,
      localTearDownScript: teardown,
      runtimeId: "2026.04",
    });
    const { result } = await ran({
      groupId: group.id,
      runtimeId: null,
      request: post({ assertions: [{ source: "TEXT_BODY", comparison: "CONTAINS", target: "teardown" }] }),
      localSetupScript: 'require("./snippets/marks.js").mark("check setup, ")',
      localTearDownScript: 'require("./snippets/marks.js").mark("check teardown, ")',
    });
    expect(result).toMatchObject({ hasFailures: false, errorMessage: null });
    expect(result.apiCheckResult?.response?.body).toBe("group setup, check setup, check teardown, group teardown");
    expect(said(result, "setup")).toEqual(["INFO group setup, "]);
  }, 120_000);
});

describe("variables", () => {
  it("count in the order test session, group, account; the agent's secrets come before them by name", async () => {
    for (const [key, value] of [
      ["LEVEL_A", "account"],
      ["LEVEL_G", "account"],
      ["LEVEL_S", "account"],
      ["SERVICE_SECRET_DB_PASSWORD", "of the account"],
    ])
      await site.api("POST", "/v1/variables", { key, value });
    const group = await site.api<{ id: number }>("POST", "/v2/check-groups", {
      name: "with variables",
      environmentVariables: ["LEVEL_G", "LEVEL_S"].map((key) => ({ key, value: "group" })),
      apiCheckDefaults: { url: `${mirror.url}/{{LEVEL_A}}` },
    });
    const { checkId, result } = await ran({
      groupId: group.id,
      request: post({ url: "{{GROUP_BASE_URL}}/{{LEVEL_G}}/{{LEVEL_S}}", body: "{{LEVEL_G}} {{SERVICE_SECRET_DB_PASSWORD}}" }),
    });
    expect(result).toMatchObject({ hasFailures: false, errorMessage: null });
    expect(requests).toContain("/account/group/group");
    expect(sentBody(result)).toBe("group ********");
    const { testSessionId } = await site.api<TestSession>("POST", "/v1/test-sessions/trigger", {
      name: "other values",
      runLocation: "north",
      target: { checkId: [checkId] },
      environmentVariables: [{ key: "LEVEL_S", value: "session" }],
    });
    const ended = await until("the end of the test session", async () => {
      const session = await site.api<TestSession>("GET", `/v1/test-sessions/${testSessionId}`);
      return session.stoppedAt !== null && session;
    });
    expect(JSON.stringify(ended)).not.toContain(secrets.file);
    expect(ended.status).toBe("PASSED");
    expect(requests).toContain("/account/group/session");
  }, 120_000);

  it("are those of a check that is tried before it is stored, which an agent with its runtime runs", async () => {
    const request = post({ headers: [{ key: "X-Key", value: "of-a-header-5c1", locked: true }] });
    const tried = {
      checkType: "API",
      name: "Never stored",
      runtimeId: "2026.04",
      request,
      localSetupScript: "request.body = process.env.SIGNING_KEY",
    };
    const { testSessionId } = await site.api<TestSession>("POST", "/v1/checks/try?runLocation=north", tried);
    const { results } = await until("the end of what is tried", async () => {
      const session = await site.api<TestSession>("GET", `/v1/test-sessions/${testSessionId}`);
      return session.stoppedAt !== null && session;
    });
    const path = `/v1/test-sessions/${testSessionId}/results/${results[0]?.testSessionResultId}`;
    const result = await site.api<WholeTestSessionResult>("GET", path);
    expect(result).toMatchObject({ status: "PASSED", checkId: null, errorMessage: null });
    expect(JSON.parse(result.apiCheckResult?.response?.body ?? "{}")).toMatchObject({ body: "********", headers: { "x-key": "********" } });
    for (const secret of [secrets.signing, "of-a-header-5c1"])
      for (const text of [JSON.stringify(result), agent.stderr, site.controlPlane.stderr])
        expect(findSecret(Buffer.from(text), secret)).toEqual([]);
  }, 120_000);

  it("of the agent are known to scripts by name, and stay in it", async () => {
    const { result } = await ran({
      request: post({ headers: [{ key: "X-Env", value: "{{SERVICE_SECRET_OF_ENV}}" }] }),
      localSetupScript: "request.body = process.env.SERVICE_SECRET_DB_PASSWORD; console.log(request.body.length)",
      localTearDownScript: `const { body, headers } = JSON.parse(response.body);
        response.body = [body.length, headers["x-env"].length].join();
        console.log(body, Buffer.from(headers["x-env"]).toString("base64url"));`,
    });
    expect(result.apiCheckResult?.response?.body).toBe(`${secrets.file.length},${secrets.environment.length}`);
    for (const secret of [secrets.file, secrets.environment])
      for (const text of [JSON.stringify(result), agent.stderr, site.controlPlane.stderr])
        expect(findSecret(Buffer.from(text), secret)).toEqual([]);
  }, 120_000);
});

describe("a run that goes wrong", () => {
  it("in its setup sends nothing, and says which script failed where", async () => {
    const { result, session } = await ran({
      request: post({ url: `${mirror.url}/never` }),
      localSetupScript: 'const n = 1;\nthrow new Error("no luck")',
      localTearDownScript: 'console.log("torn down")',
    });
    expect(session.status).toBe("FAILED");
    expect(requests).not.toContain("/never");
    expect(result).toMatchObject({ hasFailures: true, hasErrors: true, agentSide: false, responseTime: 0 });
    const told = "setup script failed: Error: no luck (line 2)";
    expect(result.apiCheckResult).toMatchObject({ response: null, assertions: null, requestError: `ESCRIPT: ${told}` });
    expect(said(result, "setup")).toEqual([`ERROR ${told}`]);
    expect(said(result, "teardown")).toEqual([]);
  }, 120_000);

  it("is retried with fresh scripts", async () => {
    const { results } = await ran({
      request: post({ body: "{{ATTEMPT}}", assertions: [{ source: "STATUS_CODE", comparison: "EQUALS", target: "201" }] }),
      localSetupScript: `process.env.ATTEMPT = (process.env.ATTEMPT ?? "") + "fresh " + typeof globalThis.left + process.env.CHECK_RESULT_ID; left = 1;`,
      retryStrategy: { type: "FIXED", baseBackoffSeconds: 1, maxRetries: 1 },
    });
    const attempts = results.toSorted((a, b) => a.attempts - b.attempts);
    expect(attempts.map(({ resultType }) => resultType)).toEqual(["ATTEMPT", "FINAL"]);
    expect(attempts.map(sentBody)).toEqual(attempts.map(({ id }) => `fresh undefined${id}`));
  }, 120_000);
});

describe("templates", () => {
  it("fill the request of API checks and the address of URL monitors; unknown names stay, with a warning", async () => {
    await site.api("POST", "/v1/variables", { key: "QUERY", value: "a b/&" });
    const { result } = await ran({ request: post({ url: `${mirror.url}/{{QUERY}}?raw={{{QUERY}}}`, body: "{{QUERY}} {{NO_SUCH}}" }) });
    expect(result).toMatchObject({ hasFailures: false, errorMessage: null });
    expect(requests).toContain("/a%20b%2F%26?raw=a%20b/&");
    expect(sentBody(result)).toBe("a b/& {{NO_SUCH}}");
    const warning = (name: string): string => `WARN no variable has these names, so their templates stay as they are: ${name}`;
    expect(said(result, "request")).toContain(warning("NO_SUCH"));

    const monitor = { name: "monitor", privateLocations: ["north"], frequency: 1440, retryStrategy: null };
    const url = `${mirror.url}/{{REGION}}/{{QUERY}}/{{NOT_EITHER}}`;
    const { id } = await site.api<{ id: string }>("POST", "/v1/checks/url", { ...monitor, request: { url, assertions: [] } });
    const [session] = await site.trigger(id);
    if (session === undefined) throw new Error("nothing was triggered");
    await site.ended(session);
    const [seen] = (await site.results(id)) as [CheckResult];
    expect(requests.some((one) => one.startsWith("/north/a%20b%2F%26/"))).toBe(true);
    expect(said(seen, "request")).toContain(warning("NOT_EITHER"));
    expect(seen.apiCheckResult?.sandboxLevel ?? null).toBeNull();
  }, 120_000);
});
