import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HttpServer, httpServer } from "../../support/http-servers/http-server.ts";
import { EngineUnderTest, missing } from "./engine-under-test.ts";

const secret = "Ann-7733-secret";
const shop = `<title>Shop</title><h1>Welcome, Ann</h1><a href="/in">Log in</a><h2>Hello, ${secret}</h2>`;

/** By what the installed Playwright really tells. */
describe.skipIf(missing !== null)("what a failed run suggests for its script", { timeout: 60_000 }, () => {
  let tested: EngineUnderTest;
  let server: HttpServer;
  beforeAll(async () => {
    server = await httpServer((_, response) => void response.setHeader("content-type", "text/html").end(shop));
    tested = await EngineUnderTest.start();
  });
  afterAll(async () => {
    await tested[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const scriptOf = (fixture: string, ...lines: readonly string[]): string =>
    [
      'import { expect, test } from "@playwright/test";',
      "test.use({ actionTimeout: 800 });",
      `test("x", async ({ ${fixture} }) => {`,
      ...lines,
      "});",
    ].join("\n");
  const environment = (): Record<string, string> => ({ URL: `${server.url}/` });

  it("is the link that is called otherwise, and the text that has become another one", async () => {
    const lines = [
      "  await page.goto(process.env.URL);",
      '  await expect.soft(page.getByRole("heading", { level: 1 })).toHaveText("Hello, Ann", { timeout: 300 });',
      '  await page.getByRole("link", { name: "Sign in" }).click();',
    ];
    const { result } = await tested.run("BROWSER", scriptOf("page", ...lines), { environment: environment() });
    expect(result.suggestions).toMatchObject([
      { category: "assertion", file: "check.spec.ts", line: 5, before: lines[1], after: lines[1]?.replace("Hello", "Welcome") },
      { category: "selector", line: 6, before: lines[2], after: lines[2]?.replace("Sign in", "Log in") },
    ]);
  });

  it("is the element that a selector meant, by its name", async () => {
    const lines = ["  await page.goto(process.env.URL);", '  await page.click("a#log-in");'];
    const { result } = await tested.run("BROWSER", scriptOf("page", ...lines), { environment: environment() });
    const after = '  await page.getByRole("link", { name: "Log in" }).click();';
    expect(result.suggestions).toMatchObject([{ category: "selector", line: 5, before: lines[1], after }]);
    const changed = await tested.run("BROWSER", scriptOf("page", lines[0] ?? "", after), { environment: environment() });
    expect(changed.outcome).toBe("passed");
  });

  it("is told of a multistep check's assertions, too", async () => {
    const lines = ["  const answer = await request.get(process.env.URL);", '  expect(answer.headers()["content-type"]).toBe("text/htm");'];
    const { result } = await tested.run("MULTI_STEP", scriptOf("request", ...lines), { environment: environment() });
    expect(result.suggestions).toEqual(undefined); // a slash is none of what may be taken from an answer
    const counted = [lines[0] ?? "", "  expect((await answer.text()).length).toBe(7);"];
    const { result: other } = await tested.run("MULTI_STEP", scriptOf("request", ...counted), { environment: environment() });
    expect(other.suggestions).toMatchObject([{ line: 5, after: counted[1]?.replace("7", String(shop.length)) }]);
  });

  it("holds no secret, and is nothing of a run that passed", async () => {
    const shown = [
      "  await page.goto(process.env.URL);",
      '  await expect(page.getByRole("heading", { level: 2 })).toHaveText("Hello, Ann-7733-other", { timeout: 300 });',
    ];
    const failed = await tested.run("BROWSER", scriptOf("page", ...shown), { environment: environment(), secrets: [secret] });
    expect([failed.outcome, failed.result.suggestions]).toEqual(["failed", undefined]);
    const passed = await tested.run("BROWSER", scriptOf("page", shown[0] ?? ""), { environment: environment() });
    expect([passed.outcome, passed.result.suggestions]).toEqual(["passed", undefined]);
  });
});
