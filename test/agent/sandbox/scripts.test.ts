import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScriptResponse } from "../../../src/agent/sandbox/sandbox.ts";
import { emptyPhase, SandboxUnderTest } from "./sandbox-under-test.ts";

const response: ScriptResponse = {
  statusCode: 200,
  statusText: "OK",
  body: '{"token":"abc"}',
  headers: { "content-type": "application/json", "set-cookie": ["a=1", "b=2"] },
  timings: { end: 12.5, connect: null },
  timingPhases: { total: 12.5 },
};

let tested: SandboxUnderTest;
beforeAll(async () => {
  tested = await SandboxUnderTest.start();
});
afterAll(() => tested[Symbol.asyncDispose]());

describe("a setup script", () => {
  it("changes every field of the request, and variables", async () => {
    const { failure, request, env } = await tested.run(
      `request.method = "POST"; request.url += "sum?x=1"; request.body = JSON.stringify({ a: 1 });
       request.headers["X-Number"] = 5; delete request.headers["x-old"]; request.queryParameters.q = "ü";
       process.env.TOKEN = "t"; delete process.env.GONE;`,
      {
        request: { ...emptyPhase("").request, headers: { "x-old": "1", Accept: "*/*" } },
        env: { GONE: "1", KEPT: "2" },
      },
    );
    expect(failure).toBeNull();
    expect(request).toEqual({
      method: "POST",
      url: "http://127.0.0.1/sum?x=1",
      body: '{"a":1}',
      headers: { Accept: "*/*", "X-Number": "5" },
      queryParameters: { q: "ü" },
    });
    expect(env).toEqual({ KEPT: "2", TOKEN: "t" });
  });

  it("signs its request with a secret variable", async () => {
    const { request } = await tested.run(
      `const { createHmac } = require("crypto");
       request.headers["X-Signature"] = createHmac("sha256", process.env.KEY).update(request.body).digest("hex");`,
      { env: { KEY: "s3cr3t" }, request: { ...emptyPhase("").request, body: "payload" } },
    );
    expect(request.headers["X-Signature"]).toBe(createHmac("sha256", "s3cr3t").update("payload").digest("hex"));
  });

  it("sees nothing of the agent's environment", async () => {
    expect(await tested.said("request.body = Object.keys(process.env).sort().join()", { env: { A: "1" } })).toBe("A,PATH,TZ");
  });

  it("shares request and variables with the scripts after it, which do not run when it fails", async () => {
    const good = await tested.run(['request.body = "a"; process.env.X = "1"', "request.body += process.env.X"]);
    expect(good.request.body).toBe("a1");
    const bad = await tested.run(['throw new Error("no")', 'console.log("ran")']);
    expect(bad).toMatchObject({ failure: "setup script failed: Error: no (line 1)", log: [], request: { body: "" } });
  });

  it("leaves the request as it was when it fails", async () => {
    const { request, env } = await tested.run('request.body = "half"; process.env.X = "half"; await null; throw new TypeError("no")');
    expect(request.body).toBe("");
    expect(env).toEqual({});
  });
});

describe("a teardown script", () => {
  it("changes the body of the response and nothing else", async () => {
    const { response: after, request } = await tested.run(
      `const { token } = JSON.parse(response.body); response.body = token + response.headers["set-cookie"][1] + response.timings.end;
       response.statusCode = 500; response.headers = {}; request.url = "http://elsewhere";`,
      { phase: "teardown", response },
    );
    expect(after).toEqual({ ...response, body: "abcb=212.5" });
    expect(request.url).toBe("http://127.0.0.1/");
  });

  it("finds null where there was no answer", async () => {
    const { failure, log } = await tested.run("console.log(String(response))", { phase: "teardown" });
    expect(failure).toBeNull();
    expect(log.map(({ msg }) => msg)).toEqual(["null"]);
  });
});

describe("the language of scripts", () => {
  const cases: readonly (readonly [what: string, code: string, said: string])[] = [
    ["await at the top", 'request.body = await Promise.resolve("x")', "x"],
    ["return at the top", 'request.body = "x"; if (request.body) return; request.body = "y"', "x"],
    [
      "types",
      'const n: number = 1; interface A { b: string }\nconst a = { b: "x" } satisfies A; request.body = a.b + (n as unknown as string)',
      "x1",
    ],
    ["types and return", 'const f = (x: string): string => x; request.body = f("x"); return;', "x"],
    [
      "import of a package",
      'import { z } from "zod";\nimport semver from "semver";\nrequest.body = semver.valid(z.string().parse("1.2.3"))',
      "1.2.3",
    ],
    [
      "import with types",
      'import type { Z } from "zod";\nimport { inc } from "semver";\nconst v: string = "1.0.0"; request.body = String(inc(v, "minor"))',
      "1.1.0",
    ],
    [
      "import() of a package that is a module only",
      'const { Headers } = await import("node-fetch"); request.body = new Headers({ a: "x" }).get("a")',
      "x",
    ],
    ["require of a package", 'request.body = require("semver").valid("1.2.3")', "1.2.3"],
    ["require of a file in a package", 'request.body = String(require("semver/functions/gt")("2.0.0", "1.0.0"))', "true"],
    ["require of what Node.js has", 'request.body = require("node:path").join("a", require("util").format("%s", "b"))', "a/b"],
    ["comments at the end", 'request.body = "x" // done', "x"],
  ];
  it.each(cases)("has %s", async (_what, code, said) => {
    expect(await tested.said(code)).toBe(said);
  });

  it.each([
    "assert",
    "buffer",
    "crypto",
    "dns",
    "fs",
    "path",
    "querystring",
    "readline",
    "stream",
    "string_decoder",
    "timers",
    "tls",
    "url",
    "util",
    "zlib",
    "http",
    "https",
  ])("has the module %s", async (name) => {
    expect(await tested.said(`request.body = typeof require("${name}") + typeof (await import("${name}")).default`)).toMatch(
      /^(object|function){2}$/,
    );
  });

  const snippets = {
    sign: "const { join } = require('./join'); module.exports = (a) => join(a, 'signed')",
    join: "exports.join = (a, b) => a + ':' + b",
    esm: "import semver from 'semver';\nexport const next = (v: string): string => semver.inc(v, 'major') ?? ''; export default 'd'",
    broken: "\n\nthrow new RangeError('inside')",
    unused: "const a: = 1",
  };
  const withSnippets: readonly (readonly [what: string, code: string, said: string])[] = [
    ["by require", 'request.body = require("./snippets/sign.js")("a")', "a:signed"],
    ["by import", 'import sign from "./snippets/sign.js";\nrequest.body = sign("a")', "a:signed"],
    ["by names of import", 'import { join } from "./snippets/join";\nrequest.body = join("a", "b")', "a:b"],
    ["that are modules, by import", 'import d, { next } from "./snippets/esm.js";\nrequest.body = d + next("1.0.0")', "d2.0.0"],
    ["that are modules, by require", 'request.body = require("./snippets/esm.js").next("1.0.0")', "2.0.0"],
    [
      "once for all scripts",
      'const a = require("./snippets/join.js"); a.x = 1; request.body = String(require("./snippets/join.js").x)',
      "1",
    ],
    ["and fails in their names", 'require("./snippets/broken.js")', "setup script failed: RangeError: inside (snippet broken, line 3)"],
    [
      "and says which there are not",
      'require("./snippets/none.js")',
      'setup script failed: Error: There is no snippet "none". Scripts load packages by name and snippets as ./snippets/<name>.js (line 1)',
    ],
    ["and says which cannot be read", 'require("./snippets/unused.js")', "snippet unused cannot be read: "],
  ];
  it.each(withSnippets)("has snippets %s", async (_what, code, said) => {
    expect((await tested.said(code, { snippets })).slice(0, Math.max(said.length, 1))).toBe(said);
  });

  it("reads TypeScript after code that no compiler survives", async () => {
    expect(await tested.said(`const a: number = ${"(".repeat(50_000)}`)).toMatch(/^setup script cannot be read: /);
    expect(await tested.said("const a: string = 'x'; request.body = a")).toBe("x");
  });
});

describe("the console of scripts", () => {
  it("becomes entries with their levels and times", async () => {
    const before = Date.now();
    const { log } = await tested.run(
      'console.log("a %d", 1, { b: [2] }); console.info("i"); console.debug("d"); console.warn("w"); console.error(new Error("e").message); console.table([[1]]); console.assert(false, "no")',
    );
    expect(log.map(({ level, msg }) => `${level} ${msg}`).slice(0, 5)).toEqual([
      "INFO a 1 { b: [ 2 ] }",
      "INFO i",
      "DEBUG d",
      "WARN w",
      "ERROR e",
    ]);
    expect(log[5]?.msg).toContain("│");
    expect(log.at(-1)).toMatchObject({ level: "WARN", msg: "Assertion failed: no" });
    for (const { time } of log) expect(time).toBeGreaterThanOrEqual(before);
  });

  it("keeps what was written before a failure", async () => {
    const { log, failure } = await tested.run('console.log("before"); throw new Error("x")');
    expect(failure).toBe("setup script failed: Error: x (line 1)");
    expect(log.map(({ msg }) => msg)).toEqual(["before"]);
  });
});

describe("what is handed over", () => {
  it("is at most 256 KB, and more is told", async () => {
    const request = (length: number) => ({ ...emptyPhase("").request, body: "x".repeat(length) });
    expect(await tested.said("request.body = String(request.body.length)", { request: request(255 * 1024) })).toBe(String(255 * 1024));
    expect(await tested.said("request.body = ''", { request: request(256 * 1024) })).toMatch(
      /^setup script cannot run: request, response and variables are 257 KB, and 256 KB can be handed over$/,
    );
  });

  it.each([
    ["request.body = { a: 1 }", "setup script left request.body as an object; it must be a text"],
    ["request.headers = { a: ['b'] }", "setup script left request.headers.a as an array; it must be a text"],
    ["request.url = () => 1", "setup script left request.url as a function; it must be a text"],
    ["delete request.body; request.method = undefined; request.url = null", ""],
    ["request = null", "setup script left a request, a response or variables that cannot be read: "],
    ["request.headers = null", "setup script left a request, a response or variables that cannot be read: "],
    ["request.toJSON = () => { throw new Error('evil') }; request.self = request; request.body = 'ok'", "ok"],
    ["JSON.stringify = () => 'evil'; Object.keys = null; request.body = 'ok'", "ok"],
  ])("is checked when it comes back: %s", async (code, said) => {
    expect((await tested.said(code)).slice(0, said.length)).toBe(said);
  });
});
