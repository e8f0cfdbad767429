import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scriptLimits } from "../../../src/agent/sandbox/script-limits.ts";
import { type HttpServer, httpServer } from "../../support/http-servers/http-server.ts";
import { SandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { type Attempts, attemptsWith, logged, variable } from "./scripted-attempts.ts";

/** Each of them unlike any other text. */
const canaries = {
  variable: "canary-of-a-variable",
  agent: "canary-of-the-agent",
  changed: "canary-that-a-script-gave-a-secret",
  invented: "canary-that-a-script-invented",
  late: "canary-of-the-teardown",
  lockedHeader: "canary-of-a-locked-header",
  setHeader: "canary-of-a-header-that-setup-set",
  cookie: "canary-of-a-cookie",
  setCookie: "canary-that-the-server-set",
  password: "canary-of-basic-auth",
  urlPassword: "canary-of-an-address",
  proxyPassword: "canary-of-the-proxy",
  key: "canary-of-a-certificate-key",
  passphrase: "canary-of-a-passphrase",
};
const all = Object.values(canaries);

let tested: SandboxUnderTest;
let attempts: Attempts;
let server: HttpServer;

beforeAll(async () => {
  tested = await SandboxUnderTest.start();
  attempts = attemptsWith(tested.sandbox, { SERVICE_SECRET_AGENT: canaries.agent });
  server = await httpServer((request, response) => {
    response.setHeader("set-cookie", `session=${canaries.setCookie}; Path=/; HttpOnly`);
    response.setHeader("x-echo", String(request.headers["x-set"] ?? ""));
    response.end(
      `${request.headers.authorization ?? ""} ${request.headers.cookie ?? ""} ${canaries.variable} ${encodeURIComponent(canaries.agent)}`,
    );
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await tested[Symbol.asyncDispose]();
});

/** Secrets of the agent are given to those who name them. */
const tellAll = `void "SERVICE_SECRET_AGENT"; console.log(JSON.stringify(process.env), JSON.stringify(request), JSON.stringify(response));
  for (const value of Object.values(process.env)) console.log(Buffer.from(value).toString("base64"), Buffer.from(value).toString("hex"), encodeURIComponent(value));
  console.log(${JSON.stringify([canaries.key, canaries.passphrase])}.join());`;

const material = {
  variables: [variable("VARIABLE", canaries.variable, true), variable("CHANGED", "old", true), variable("PLAIN", "in the clear")],
  certificates: [{ host: "other.example.com", cert: "", ca: null, key: canaries.key, passphrase: canaries.passphrase }],
};
const setUp = `process.env.CHANGED = ${JSON.stringify(canaries.changed)};
  process.env.SERVICE_SECRET_INVENTED = ${JSON.stringify(canaries.invented)};
  request.headers["X-Api-Key"] = ${JSON.stringify(canaries.setHeader)};
  ${tellAll}`;

function request(): object {
  const url = new URL(server.url);
  url.username = "user";
  url.password = canaries.urlPassword;
  return {
    method: "POST",
    url: `${url.href}?v={{VARIABLE}}`,
    bodyType: "RAW",
    body: "{{VARIABLE}} {{CHANGED}} {{SERVICE_SECRET_INVENTED}} {{SERVICE_SECRET_AGENT}}",
    headers: [
      { key: "X-Set", value: canaries.lockedHeader, locked: true },
      { key: "Cookie", value: `a=1; token=${canaries.cookie}` },
    ],
    basicAuth: { username: "someone", password: canaries.password },
  };
}

/** The report as any reader could decode it. */
function found(report: object): string[] {
  const json = JSON.stringify(report);
  const texts = [
    json,
    ...(json.match(/[A-Za-z0-9+/_-]{8,}={0,2}/g) ?? []).flatMap((run) =>
      [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), "base64").toString("latin1")),
    ),
  ];
  texts.push(...(json.match(/(?:[0-9a-f]{2}){4,}/g) ?? []).map((run) => Buffer.from(run, "hex").toString("latin1")));
  return all.filter((canary) => texts.some((text) => text.includes(canary)));
}

describe("no secret of a run stands in its report", () => {
  it("where all goes well, whatever its scripts log", async () => {
    const report = await attempts.report({
      request: request(),
      setup: setUp,
      teardown: `process.env.SERVICE_SECRET_LATE = ${JSON.stringify(canaries.late)}; ${tellAll}`,
      material,
    });
    expect(report).toMatchObject({ statusCode: 200, hasFailures: false });
    expect(JSON.stringify(report.detail.jobLog)).toContain("in the clear");
    expect(found(report)).toEqual([]);
  });

  it("where a setup script fails with one", async () => {
    const report = await attempts.report({ request: request(), setup: `${setUp}\nthrow new Error(process.env.VARIABLE)`, material });
    expect(report.errorMessage).toMatch(/^ESCRIPT: setup script failed: Error: \*{8} \(line \d+\)$/);
    expect(found(report)).toEqual([]);
  });

  it("where a setup script never ends, and changes what it logged", async () => {
    await using quick = await SandboxUnderTest.start({ limits: { ...scriptLimits, scriptMs: 500 } });
    const setup = `${setUp}\nprocess.env.CHANGED = "other"; request.headers = {}; for (;;);`;
    const report = await attemptsWith(quick.sandbox, { SERVICE_SECRET_AGENT: canaries.agent }).report({
      request: request(),
      setup,
      material,
    });
    expect(report.errorMessage).toContain("took longer than");
    expect(JSON.stringify(report.detail.jobLog)).toContain("in the clear");
    expect(found(report)).toEqual([]);
  });

  it("where setup leaves a request that cannot be sent", async () => {
    const report = await attempts.report({ request: request(), setup: `${setUp}\nrequest.method = process.env.VARIABLE`, material });
    expect(report.errorMessage).toContain("request.method must be one of");
    expect(found(report)).toEqual([]);
  });

  it("where its templates make no request", async () => {
    const setup = `${setUp}\nrequest.url += "{{VARIABLE}}".repeat(140)`;
    const report = await attempts.report({ request: request(), setup, material });
    expect(report.errorMessage).toMatch(/^ETEMPLATE/);
    expect(found(report)).toEqual([]);
  });

  it("where a teardown script fails with one, and an assertion shows another", async () => {
    const report = await attempts.report({
      request: { ...request(), assertions: [{ source: "TEXT_BODY", comparison: "EQUALS", target: "other" }] },
      setup: setUp,
      teardown: `${tellAll}\nthrow new Error(process.env.CHANGED)`,
      material,
    });
    expect(report.errorMessage).toMatch(/^teardown script failed: Error: \*{8}/);
    expect(found(report)).toEqual([]);
  });

  it("where the request fails: neither in its message nor by way of its proxy", async () => {
    const report = await attempts.report({
      request: { ...request(), url: "http://{{VARIABLE}}.invalid/" },
      setup: setUp,
      teardown: tellAll,
      material,
      payload: { proxyUrl: `http://user:{{SERVICE_SECRET_PROXY}}${canaries.proxyPassword}@127.0.0.1:1/` },
    });
    expect(report).toMatchObject({ statusCode: null, hasErrors: true });
    expect(found(report)).toEqual([]);
  });

  it("in runs without scripts and templates: an answer may repeat what a secret variable holds", async () => {
    const plain = { method: "GET", url: server.url };
    expect(found(await attempts.report({ request: plain, material: { variables: material.variables } }))).toEqual([]);
    const ofAgent = await attempts.report({ request: plain });
    expect(ofAgent.detail.response?.body).not.toContain(canaries.agent);
  });

  it("but those that would mask everything, and its log says which", async () => {
    const { sandbox } = tested;
    const report = await attemptsWith(sandbox, { SERVICE_SECRET_USED: "true", SERVICE_SECRET_UNUSED: "no" }).report({
      request: { method: "POST", url: server.url, bodyType: "RAW", body: "{{PIN}} {{EMPTY}} {{SERVICE_SECRET_USED}}" },
      setup: 'process.env.SERVICE_SECRET_MADE = "aaaaaa";',
      material: {
        variables: [
          variable("PIN", "123", true),
          variable("EMPTY", "", true),
          variable("PLAIN", "1"),
          variable("TOKEN", canaries.variable, true),
        ],
      },
    });
    expect(logged(report, "request")[0]).toBe(
      "WARN the values of these secrets are not masked: PIN (shorter than 4 characters), " +
        "SERVICE_SECRET_MADE (one character, repeated), SERVICE_SECRET_USED (a word that stands in almost every result)",
    );
    expect(logged(await attempts.report({ request: request(), setup: setUp, material }), "request").join()).not.toContain("not masked");
  });

  it("and the search would find them", () => {
    const forms = all.map((canary, index) => {
      const bytes = Buffer.from(`${"x".repeat(index % 4)}${canary}`);
      return index % 3 === 0 ? canary : bytes.toString(index % 3 === 1 ? "base64" : "hex");
    });
    expect(found({ forms })).toEqual(all);
  });
});
