/** What an editor offers behind a dot: members of Playwright's API that scripts use, by whose they are (https://playwright.dev/docs/api). */
const locator =
  "click fill press check uncheck selectOption hover dblclick tap focus blur clear type pressSequentially setInputFiles dragTo scrollIntoViewIfNeeded textContent innerText innerHTML allTextContents allInnerTexts inputValue getAttribute isVisible isHidden isEnabled isDisabled isChecked isEditable count first last nth filter and or all locator getByRole getByLabel getByText getByPlaceholder getByTestId getByAltText getByTitle contentFrame evaluate evaluateAll waitFor screenshot boundingBox page";
const members = {
  page: "goto getByRole getByLabel getByText getByPlaceholder getByTestId getByAltText getByTitle locator click fill press check url title content reload goBack goForward waitForURL waitForLoadState waitForResponse waitForRequest waitForEvent waitForSelector waitForFunction waitForTimeout screenshot pdf evaluate route unroute routeFromHAR addInitScript setViewportSize setExtraHTTPHeaders emulateMedia frameLocator frames mainFrame keyboard mouse context request on once close bringToFront",
  locator,
  context:
    "newPage pages cookies addCookies clearCookies storageState grantPermissions setGeolocation setOffline setExtraHTTPHeaders route unroute routeFromHAR waitForEvent addInitScript request tracing close on",
  browser: "newContext newPage contexts version isConnected close",
  request: "get post put patch delete head fetch storageState dispose",
  response: "ok status statusText json text body headers headersArray headerValue url request dispose",
  keyboard: "press type insertText down up",
  mouse: "click dblclick move down up wheel",
  download: "path saveAs suggestedFilename url failure cancel delete",
  test: "describe step use skip fixme fail only slow setTimeout beforeAll beforeEach afterEach afterAll info extend expect",
  describe: "configure only skip fixme parallel serial",
  testInfo: "attach annotations title project retry timeout setTimeout skip fixme fail slow outputPath outputDir errors status duration",
  expect: "soft poll extend configure any anything arrayContaining objectContaining stringContaining stringMatching closeTo",
  matchers:
    "not toBe toEqual toStrictEqual toMatchObject toContain toContainEqual toHaveLength toHaveProperty toMatch toBeTruthy toBeFalsy toBeNull toBeDefined toBeUndefined toBeGreaterThan toBeGreaterThanOrEqual toBeLessThan toBeLessThanOrEqual toBeCloseTo toThrow toPass resolves rejects toBeVisible toBeHidden toBeAttached toBeEnabled toBeDisabled toBeChecked toBeEditable toBeEmpty toBeFocused toBeInViewport toBeOK toHaveText toContainText toHaveTitle toHaveURL toHaveValue toHaveValues toHaveCount toHaveAttribute toHaveClass toContainClass toHaveCSS toHaveId toHaveRole toHaveAccessibleName toHaveScreenshot toMatchAriaSnapshot",
} as const satisfies Record<string, string>;

type Owner = keyof typeof members | "env";

const sameName = new Set<string>([
  "page",
  "context",
  "browser",
  "request",
  "response",
  "keyboard",
  "mouse",
  "download",
  "test",
  "describe",
  "expect",
]);
const byName: Readonly<Record<string, Owner>> = {
  env: "env",
  testInfo: "testInfo",
  not: "matchers",
  resolves: "matchers",
  rejects: "matchers",
  popup: "page",
};
/** What comes of a call. */
const byCall: Readonly<Record<string, Owner>> = {
  expect: "matchers",
  soft: "matchers",
  poll: "matchers",
  info: "testInfo",
  newPage: "page",
  newContext: "context",
};
const locates = /^(?:getBy\w+|locator|first|last|nth|filter|and|or|contentFrame|frameLocator)$/;
const sends = /^(?:get|post|put|patch|delete|head|fetch|waitForResponse|goto|reload)$/;

export interface Completion {
  /** Where the word begins that is typed. */
  readonly from: number;
  readonly words: readonly string[];
}

/** How far the expression before a dot is looked at. */
const mostBefore = 2_000;
const mostWords = 100;

/** What may stand at the end of `before`, the text before the caret; null where nothing is known. `variables`: names of those that scripts have. */
export function completionAt(before: string, variables: readonly string[]): Completion | null {
  const [typed = ""] = /[\w$]*$/.exec(before) ?? [];
  const from = before.length - typed.length;
  const expression = before.slice(Math.max(0, from - mostBefore), from);
  if (!/[\w$)]\s*\??\.$/.test(expression)) return null;
  const owner = ownerOf(expression.replace(/\s*\??\.$/, ""), before);
  if (owner === null) return null;
  const all = owner === "env" ? variables : members[owner].split(" ");
  const words = all.filter((word) => word.toLowerCase().startsWith(typed.toLowerCase()) && word !== typed).slice(0, mostWords);
  return words.length === 0 ? null : { from, words };
}

function ownerOf(expression: string, script: string): Owner | null {
  if (expression.endsWith(")")) return ownerOfCall(expression);
  const [name = ""] = /[\w$]+$/.exec(expression) ?? [];
  if (name === "env") return expression.endsWith("process.env") ? "env" : null;
  return byName[name] ?? (sameName.has(name) ? (name as Owner) : ownerOfVariable(name, script));
}

function ownerOfCall(expression: string): Owner | null {
  const open = openingOf(expression);
  if (open === -1) return null;
  const [name = ""] = /[\w$]+$/.exec(expression.slice(0, open).trimEnd()) ?? [];
  if (name !== "") return byCall[name] ?? (locates.test(name) ? "locator" : null);
  const awaited = /^\(\s*await\s+([^]+)\)$/.exec(expression.slice(open))?.[1]; // (await request.get(…))
  return awaited === undefined ? null : ownerOfAwaited(awaited);
}

/** Where the parenthesis began that ends the text; those in strings are not told apart, as they mostly come in pairs. */
function openingOf(expression: string): number {
  let depth = 0;
  for (let at = expression.length - 1; at >= 0; at -= 1) {
    if (expression[at] === ")") depth += 1;
    if (expression[at] === "(" && (depth -= 1) === 0) return at;
  }
  return -1;
}

function ownerOfAwaited(expression: string): Owner | null {
  const trimmed = expression.trimEnd().replace(/;$/, "");
  if (!trimmed.endsWith(")")) return null;
  const [name = ""] = /[\w$]+$/.exec(trimmed.slice(0, openingOf(trimmed))) ?? [];
  return sends.test(name) ? "response" : ownerOfCall(trimmed);
}

/** By what it was made of, on the line of its declaration. */
function ownerOfVariable(name: string, script: string): Owner | null {
  const [, wait, made] =
    new RegExp(String.raw`\b(?:const|let|var)\s+${name.replaceAll("$", "\\$")}\s*=\s*(await\s+)?(.+)`).exec(script) ?? [];
  if (made === undefined) return null;
  return wait === undefined ? ownerOfCall(made.trimEnd().replace(/;$/, "")) : ownerOfAwaited(made);
}
