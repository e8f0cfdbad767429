import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../support/free-ports.ts";
import { noPlaywright } from "../../support/playwright-runtime.ts";
import { manifest, npmLock, npmProject, playwrightRegistry } from "./project.ts";
import { SuitesUnderTest } from "./suite-under-test.ts";

const timeout = 240_000;

/** Answers pages, and what was said to it over a WebSocket-like upgrade is not needed here. */
const server = `const http = require("node:http");
http.createServer((request, response) => {
  response.setHeader("content-type", "text/html");
  response.end("<h1>" + (process.env.GREETING ?? "Shop") + "</h1>" + request.url);
}).listen(Number(process.env.PORT), "127.0.0.1", () => console.log("ready"));
`;
const shop = `import { expect, test } from "@playwright/test";
test("shows its page", async ({ page }) => { await page.goto("/a?b=1"); await expect(page.locator("body")).toContainText("Shop"); await expect(page.locator("body")).toContainText("/a?b=1"); });
test("answers", async ({ request }) => { for (let n = 0; n < 5; n += 1) expect((await request.get("/")).status()).toBe(200); });
`;

describe.skipIf(noPlaywright !== null)("a suite with servers of its own", { timeout }, () => {
  const made = new AsyncDisposableStack();
  let suites: SuitesUnderTest;
  let lock: string;
  let port: number;
  beforeAll(async () => {
    const registry = made.use(await playwrightRegistry());
    lock = await npmLock(registry);
    suites = made.use(await SuitesUnderTest.start({ registry: registry.url }));
    port = await freePort();
  }, timeout);
  afterAll(() => made.disposeAsync());

  const run = (command: string, files: Readonly<Record<string, string>>, more: Parameters<SuitesUnderTest["run"]>[2] = {}) => {
    const bundle = npmProject(lock, {
      "playwright.config.ts": `export default { use: { baseURL: "http://localhost:${port}" }, webServer: { command: ${JSON.stringify(command)}, url: "http://localhost:${port}", timeout: 20000, stdout: "pipe" } };`,
      "server.js": server,
      ...files,
    });
    return suites.run({ codeBundlePath: suites.add(bundle) }, { PORT: String(port) }, more);
  };
  const outcomes = ({ result }: Awaited<ReturnType<typeof run>>) => result.tests.map(({ title, status }) => `${title}: ${status}`);

  it("starts what webServer names, and reaches it with its browser and its requests", async () => {
    const seen = await run("node server.js", { "shop.spec.ts": shop });
    expect([seen.failure, seen.result.errors, outcomes(seen)]).toEqual([null, [], ["shows its page: passed", "answers: passed"]]);
    expect(suites.runFolders()).toEqual([]);
  });

  it("reads scripts of package.json, variables before a program and one program after another", async () => {
    const scripts = { prestart: "node -e \"require('fs').writeFileSync('made', 'Shop')\"", start: "GREETING='A Shop' node server.js" };
    const seen = await run("node -v && npm run start", { "package.json": JSON.stringify(manifest({ scripts })), "shop.spec.ts": shop });
    expect([seen.failure, outcomes(seen)]).toEqual([null, ["shows its page: passed", "answers: passed"]]);
  });

  it("may have servers in its tests, two runs on one port do not meet, and nobody else reaches them", async () => {
    const spec = `import { createServer } from "node:http";
import { connect } from "node:net";
import { expect, test } from "@playwright/test";
test("has one", async ({ page, request }) => {
  const server = createServer((_request, response) => response.end("mine"));
  await new Promise((done) => server.listen(0, done));
  const { port } = server.address();
  await page.goto("http://127.0.0.1:" + port);
  await expect(page.locator("body")).toHaveText("mine");
  const taken = await new Promise((done) => createServer().once("error", done).listen(port));
  expect(taken.code).toBe("EADDRINUSE");
  await new Promise((done) => server.close(done));
  const refused = await new Promise((done) => connect(port, "127.0.0.1").once("error", done));
  expect(refused.code).toBe("ECONNREFUSED");
});
test("keeps one", async () => {
  await new Promise((done) => createServer((_request, response) => response.end("mine")).listen(${port + 1}, "0.0.0.0", done));
  await test.step("listening now", () => new Promise((done) => setTimeout(done, 3000)));
});`;
    const looked = Promise.withResolvers<string>();
    const look = async (): Promise<string> => {
      const socket = connect(port + 1, "127.0.0.1");
      return once(socket, "connect").then(
        () => "reached",
        (error: NodeJS.ErrnoException) => error.code ?? "",
      );
    };
    const bundle = npmProject(lock, { "own.spec.ts": spec });
    const seen = await suites.run(
      { codeBundlePath: suites.add(bundle) },
      {},
      { onProgress: ({ step }) => step?.includes("listening now") === true && looked.resolve(look()) },
    );
    expect([seen.result.errors, outcomes(seen)]).toEqual([[], ["has one: passed", "keeps one: passed"]]);
    expect(await looked.promise).toBe("ECONNREFUSED");
  });

  it.each([
    ["node server.js | tee log", /^webServer cannot be started here: no shell reads it: node server\.js \| tee log/],
    ["vite preview", /^webServer cannot be started here: there is no vite in the project's packages/],
    ["npm run missing", /^webServer cannot be started here: package\.json has no script "missing"/],
  ])("says what of %j cannot be done", async (command, sentence) => {
    const { failure } = await run(command, { "shop.spec.ts": shop });
    expect(failure?.message).toMatch(sentence);
  });
});
