import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tries } from "../../attacks/cases.ts";
import { type HttpServer, httpServer } from "../../support/http-servers/http-server.ts";
import { EngineUnderTest, missing } from "./engine-under-test.ts";

describe.skipIf(missing !== null)("a multistep check", () => {
  let tested: EngineUnderTest;
  let server: HttpServer;
  beforeAll(async () => {
    server = await httpServer((request, response) => {
      response.statusCode = request.url === "/missing" ? 404 : 200;
      response.setHeader("content-type", "application/json").end(JSON.stringify({ path: request.url }));
    });
    tested = await EngineUnderTest.start({ browserConcurrency: 0 });
  });
  afterAll(async () => {
    await tested[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  const byName = (): string => server.url.replace("127.0.0.1", "localhost");

  it("says what is wrong with a script that cannot be read, without folders of the agent", async () => {
    const run = await tested.run("MULTI_STEP", "const x = ;");
    expect(run.failure).toMatchObject({
      code: "ESCRIPT",
      side: "target",
      message: expect.stringMatching(/^SyntaxError: check\.spec\.ts: Unexpected token/),
    });
  });

  it("tells its tests, steps, requests and log", async () => {
    const script = `import { expect, test } from "@playwright/test";
      import { path } from "./lib/path";
      test.describe("orders", () => {
        test("are there", async ({ request }) => {
          console.warn("looking", process.env.NAME);
          const first: number = (await request.get(process.env.URL + path)).status();
          expect(first).toBe(200);
          await test.step("again", async () => { await request.get(process.env.URL + "/again"); });
        });
      });`;
    const files = [{ path: "lib/path.ts", content: 'export const path: string = "/first";' }];
    const { outcome, failure, result, responseTimeMs } = await tested.run("MULTI_STEP", script, {
      files,
      environment: { URL: byName(), NAME: "Mary" },
    });
    expect([outcome, failure, result.errors]).toEqual(["passed", null, []]);
    expect(result.tests).toMatchObject([{ title: "orders › are there", status: "passed", file: "check.spec.ts", line: 4 }]);
    expect(result.jobLog).toMatchObject([{ level: "WARN", msg: "looking Mary" }]);
    expect(result.requests).toMatchObject([
      { method: "GET", url: `${byName()}/first`, status: 200, type: "api", page: null },
      { method: "GET", url: `${byName()}/again`, status: 200, bytes: 17 },
    ]);
    const [first, second] = result.requests;
    const { dns, connect, tls, firstByte, download } = first?.timings ?? {};
    expect([dns, connect, tls, firstByte, download].map((one) => typeof one)).toEqual(["number", "number", "object", "number", "number"]);
    expect(second?.timings).toMatchObject({ dns: null, connect: null }); // it had a connection
    const within = result.steps[second?.step ?? -1];
    expect(within).toMatchObject({ title: expect.stringContaining("/again"), depth: 1, category: "pw:api" });
    expect(responseTimeMs).toBe(result.endTime - result.startTime);
    expect(result).toMatchObject({ runtimeVersion: "2026.04", playwrightVersion: "1.58.2", sandboxLevel: 2, scriptEgress: "kernel" });
  });

  it("fails with code, place and trace; soft errors are marked, and later tests run", async () => {
    const script = `const { expect, test } = require("@playwright/test");
test("missing", async ({ request }) => {
  expect.soft(1).toBe(2);
  expect((await request.get(process.env.URL + "/missing")).status()).toBe(200);
});
test("there", async ({ request }) => { console.log((await request.get(process.env.URL)).status()); });`;
    const { outcome, failure, result, files } = await tested.run("MULTI_STEP", script, { environment: { URL: server.url } });
    expect([outcome, failure]).toEqual(["failed", null]);
    expect(result.tests.map(({ status }) => status)).toEqual(["failed", "passed"]);
    expect(result.errors).toMatchObject([
      { isSoft: true, location: { file: "check.spec.ts", line: 3 } },
      { isSoft: false, title: "missing", location: { line: 4 }, snippet: expect.stringContaining("> 4 |") },
    ]);
    expect(result.errors[1]?.message).toContain("Received: 404");
    expect(result.jobLog.map(({ msg }) => msg)).toEqual(["200"]);
    expect(result.playwrightTestTraces).toEqual(["trace-missing.zip"]);
    expect(files.map(({ name, type }) => [name, type])).toContainEqual(["trace-missing.zip", "trace"]);
  });

  it.each([
    [
      "a page",
      'import { test } from "@playwright/test"; test("x", async ({ page }) => {});',
      "A MULTI_STEP check has no browser; use a BROWSER check",
    ],
    ["what does not compile", 'import { test } from "@playwright/test";\ntest("x", async ( => {});', "check.spec.ts"],
    [
      "a request whose error nobody looks at",
      'import http from "node:http"; import { test } from "@playwright/test"; test("x", async () => { http.get("http://127.0.0.1:1/"); await new Promise((next) => setTimeout(next, 500)); });',
      "ECONNREFUSED",
    ],
    [
      "an address that the policy denies",
      'import { test } from "@playwright/test"; test("x", async ({ request }) => { await request.get("http://169.254.169.254/"); });',
      "EPOLICY",
    ],
  ])("says why it fails with %s", async (_what, script, why) => {
    const { outcome, failure, result } = await tested.run("MULTI_STEP", script);
    expect(outcome).toBe("failed");
    expect(`${failure?.message} ${JSON.stringify(result.errors)}`).toContain(why);
    expect(failure?.side ?? "target").toBe("target");
  });

  it("has sockets through the agent's proxy alone", async () => {
    const script = `import { test } from "@playwright/test";
      import net from "node:net";
      const says = (port: number, host: string) => new Promise((resolve) => net.connect(port, host, () => resolve("open")).on("error", (error: any) => resolve(error.code)));
      test("x", async () => { console.log(await says(Number(new URL(process.env.URL!).port), "127.0.0.1"), await says(80, "169.254.169.254")); });`;
    const { result } = await tested.run("MULTI_STEP", script, { environment: { URL: server.url } });
    expect(result.jobLog[0]?.msg).toBe("open EPOLICY");
  });

  it("holds a program that its script wrote and the system's loader starts, as it holds the script", async () => {
    const script = `import { test } from "@playwright/test"; import fs from "node:fs"; import { spawnSync } from "node:child_process";
      test("x", async () => {
        fs.copyFileSync(process.execPath, "node"); fs.chmodSync("node", 0o755);
        const tries = 'const says = (act) => { try { act(); return "done"; } catch ({ code }) { return code; } }; const fs = require("fs");' +
          'require("net").connect(Number(process.env.PORT), "127.0.0.1", () => end("open")).on("error", ({ code }) => end(code));' +
          'const end = (one) => console.log(one, says(() => fs.readFileSync("/etc/shadow")), says(() => fs.writeFileSync("../../mine", "")))';
        const loader = process.arch === "x64" ? "/lib64/ld-linux-x86-64.so.2" : "/lib/ld-linux-aarch64.so.1";
        const env = { ...process.env, PORT: new URL(process.env.URL!).port };
        console.log(spawnSync("./node", ["-e", "1"]).error?.message.includes("EACCES"), spawnSync(loader, ["./node", "-e", tries], { env, encoding: "utf8" }).stdout.trim());
      });`;
    const { result } = await tested.run("MULTI_STEP", script, { environment: { URL: server.url } });
    expect([result.errors, result.jobLog.map(({ msg }) => msg)]).toEqual([[], ["true EACCES EACCES EACCES"]]);
  });

  it.each([
    [{ environment: { NODE_OPTIONS: "--inspect" } }, "NODE_OPTIONS"],
    [{ environment: { PW_TEST: "1" } }, "PW_TEST"],
    [{ scriptPath: "../check.spec.ts" }, "leaves the folder"],
    [{ files: [{ path: "/etc/passwd", content: "" }] }, "leaves the folder"],
    [{ runtimeId: "2016.01" }, "outpost runtime install 2016.01"],
  ])("is refused before anything starts: %j", tries("S9", "refused by name, before anything starts"), async (wrong, why) => {
    await expect(tested.run("MULTI_STEP", "test('x', () => {})", wrong)).rejects.toThrow(why);
  });

  it("without a seat for browsers offers none", async () => {
    expect(tested.engine.offers.get("2026.04")?.types).toEqual(["MULTI_STEP"]);
    await expect(tested.run("BROWSER", "test('x', () => {})")).rejects.toThrow("BROWSER checks do not run");
  });
});
