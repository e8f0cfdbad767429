import { describe, expect, it } from "vitest";
import { type FailedTest, scriptSuggestions } from "../../src/domain/script-suggestions.ts";

const page = `# Page snapshot

\`\`\`yaml
- generic [active] [ref=e1]:
  - heading "Welcome, Ann" [level=1] [ref=e2]
  - link "Log in" [ref=e3] [cursor=pointer]:
    - /url: /in
  - link "Help" [ref=e4]
  - 'button "Search: all" [ref=e5]'
  - textbox "Your name" [ref=e6]: hunter2
\`\`\``;

const script = `test("x", async ({ page }) => {
  await page.goto("https://shop.example/");
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel('User name').fill("ann");
  await page.getByRole("button", { name: "Search all" }).click();
  await expect(page.getByRole("heading")).toHaveText("Hello, Ann");
  expect(items).toBe(3);
  expect(response.status()).toBe(200);
});`;

type More = Partial<FailedTest> & { readonly text?: string; readonly secret?: string };

function suggested(message: string, line: number, more: More = {}) {
  const { text = script, secret = "", ...rest } = more;
  const failed = { message, location: { file: "check.spec.ts", line, column: 3 }, page, ...rest };
  const isClean = (one: string): boolean => secret === "" || !one.includes(secret);
  return scriptSuggestions({ script: text, scriptPath: "check.spec.ts" }, [failed], isClean);
}

const missing = (locator: string): string =>
  `TimeoutError: locator.click: Timeout 800ms exceeded.\nCall log:\n  - waiting for ${locator}\n`;
const unequal = (expected: string, received: string): string =>
  `Error: expect(locator).toHaveText(expected) failed\n\nLocator:  getByRole('heading')\nExpected: ${expected}\nReceived: ${received}\nTimeout:  300ms`;

describe("suggestions for a script that failed", () => {
  it.each([
    ["a link", missing("getByRole('link', { name: 'Sign in' })"), 3, '  await page.getByRole("link", { name: "Log in" }).click();'],
    ["a field", missing("getByLabel('User name')"), 4, `  await page.getByLabel('Your name').fill("ann");`],
    [
      "a button",
      missing("locator('main').getByRole('button', { name: 'Search all' })"),
      5,
      '  await page.getByRole("button", { name: "Search: all" }).click();',
    ],
    [
      "an element of an expectation",
      "Error: expect(locator).toBeVisible() failed\n\nLocator: getByRole('link', { name: 'Sign in' })\nExpected: visible\nError: element(s) not found",
      3,
      '  await page.getByRole("link", { name: "Log in" }).click();',
    ],
  ])("name the element that is called otherwise now: %s", (_, message, line, after) => {
    expect(suggested(message, line)).toMatchObject([
      { category: "selector", file: "check.spec.ts", line, before: script.split("\n")[line - 1], after },
    ]);
  });

  it.each([
    ["a text", unequal('"Hello, Ann"', '"Welcome, Ann"'), 6, '  await expect(page.getByRole("heading")).toHaveText("Welcome, Ann");'],
    ["a number", "Error: expect(received).toBe(expected)\n\nExpected: 3\nReceived: 4", 7, "  expect(items).toBe(4);"],
  ])("follow an assertion that no longer fits: %s", (_, message, line, after) => {
    expect(suggested(message, line)).toMatchObject([{ category: "assertion", line, after }]);
  });

  it.each([
    ["an id", "#log-in", '  await page.locator("#log-in").click();', '  await page.getByRole("link", { name: "Log in" }).click();'],
    [
      "the id of a kind",
      "#loginLink",
      "  await page.locator('#loginLink').click();",
      "  await page.getByRole('link', { name: 'Log in' }).click();",
    ],
    [
      "a tag and a class",
      "nav a.log_in",
      '  await page.click("nav a.log_in");',
      '  await page.getByRole("link", { name: "Log in" }).click();',
    ],
    [
      "an attribute",
      '[data-testid="your-name"]',
      `  await page.fill('[data-testid="your-name"]', "ann");`,
      `  await page.getByRole('textbox', { name: 'Your name' }).fill("ann");`,
    ],
    [
      "a text",
      'a:has-text("Log on")',
      `  await page.locator('a:has-text("Log on")').click();`,
      "  await page.getByRole('link', { name: 'Log in' }).click();",
    ],
  ])("name the element that a selector meant: %s", (_, selector, before, after) => {
    const text = script.replace(/.*Sign in.*/, () => before);
    const message = missing(`locator('${selector.replaceAll("'", "\\'")}')`);
    expect(suggested(message, 3, { text })).toMatchObject([{ category: "selector", line: 3, before, after }]);
  });

  it.each<[because: string, selector: string, page?: string]>([
    ["nothing is called so", "#checkout"],
    ["its tag is another", "h1.log-in"],
    ["its words are short", "#in"],
    ["the element is there twice", "#log-in", '- link "Log in"\n- link "Log in"'],
    ["two are as alike", "#log-in", '- link "Log in"\n- button "Log-in"'],
    ["it is in a frame", "#log-in", '- link "Log in" [ref=f1e2]'],
    ["not all of the page is known", "#log-in", '```yaml\n- link "Log in"'],
    ["its name could be more than a text", "#log-in", String.raw`- link "Log in\"); evil("`],
    ["its role is none", "#log-in", '- evil "Log in"'],
    ["it is a path of XML", "//a[@id='log-in']"],
    ["it is a chain", "#nav >> #log-in"],
  ])("replace no selector where %s", (_, selector, other = page) => {
    const text = script.replace(/.*Sign in.*/, () => `  await page.locator(${JSON.stringify(selector)}).click();`);
    const message = missing(`locator('${selector.replaceAll("'", "\\'")}')`);
    expect(suggested(message, 3, { text, page: other })).toEqual([]);
  });

  it("name an element exactly where others have its name in theirs", () => {
    const text = script.replace(/.*Sign in.*/, '  await page.locator("#log-in").click();');
    const several = '- link "Log in"\n- link "How you log in with a card reader at home"';
    const message = missing("locator('#log-in')");
    expect(suggested(message, 3, { text, page: several })).toMatchObject([
      { after: '  await page.getByRole("link", { name: "Log in", exact: true }).click();' },
    ]);
  });

  it("find the only line that has the text where the error is told of another one", () => {
    expect(suggested(missing("getByRole('link', { name: 'Sign in' })"), 8)).toMatchObject([{ line: 3 }]);
    const twice = script.replace("https", '"; page.getByRole("link", { name: "Sign in" }); "https');
    expect(suggested(missing("getByRole('link', { name: 'Sign in' })"), 8, { text: twice })).toEqual([]);
  });

  it.each<[because: string, message: string, line: number, more?: More]>([
    ["nothing alike is there", missing("getByRole('link', { name: 'Checkout' })"), 3],
    ["two are as alike", missing("getByRole('link', { name: 'Sign in' })"), 3, { page: '- link "Log in"\n- link "Log on"' }],
    ["the element is there", missing("getByRole('link', { name: 'Sign in' })"), 3, { page: '- link "Sign in"\n- link "Sign on"' }],
    ["the element was found and could not be used", `${missing("getByRole('link', { name: 'Sign in' })")}  - locator resolved to <a>`, 3],
    ["there was no page", missing("getByRole('link', { name: 'Sign in' })"), 3, { page: null }],
    ["the selector is of another kind", missing("locator('#in')"), 3],
    ["the texts have nothing in common", unequal('"Hello, Ann"', '"502 Bad gateway"'), 6],
    ["it is a status of HTTP", "Expected: 200\nReceived: 404", 8],
    ["the place is unknown", unequal('"Hello, Ann"', '"Welcome, Ann"'), 6, { location: null }],
    ["the place is in another file", unequal('"Hello, Ann"', '"Welcome, Ann"'), 6, { location: { file: "b.ts", line: 6, column: 1 } }],
    ["it holds a secret", unequal('"Hello, Ann"', '"Hello, Ann1"'), 6, { secret: "Ann1" }],
  ])("are not made where %s", (_, message, line, more = {}) => {
    expect(suggested(message, line, more)).toEqual([]);
  });

  it.each([
    'Log in" }); evil(); ({ name: "',
    "Log in'",
    "Log in`",
    "Log in ${evil()}",
    String.raw`Log in\u0022`,
    "Log in /* */",
    "Log in\u2028",
    "Log in\u202e",
    "<b>Log in",
  ])("take no text of a page that could be more than a text: %j", (name) => {
    const hostile = `- link ${JSON.stringify(name)}`;
    expect(suggested(missing("getByRole('link', { name: 'Sign in' })"), 3, { page: hostile })).toEqual([]);
    expect(suggested(unequal('"Log in"', JSON.stringify(name)), 3, { text: script.replaceAll("Sign in", "Log in") })).toEqual([]);
  });
});
