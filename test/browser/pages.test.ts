import { gzipSync } from "node:zlib";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Operation } from "#contract/operation.ts";
import { operations } from "#contract/operations.ts";
import type { Browser } from "../control-plane/console/browser.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { axeProblems, colourRules } from "../support/axe.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { type Demo, startDemo } from "../support/demo/demo.ts";
import { httpServer } from "../support/http-servers/http-server.ts";
import { tour } from "./page-tour.ts";
import { signedIn } from "./signed-in.ts";

const maxScriptBytes = 40 * 1024;

describe.skipIf(noChromium !== null)("pages in a real browser", { timeout: 300_000 }, () => {
  let demo: Demo;
  let browser: WatchedBrowser;
  let owner: Browser;
  beforeAll(async () => {
    [demo, browser] = await Promise.all([startDemo(30), watchedBrowser(["dash.shop.example", "status.shop.example"])]);
    owner = await firstOwner(demo.plane);
  }, 180_000);
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await demo[Symbol.asyncDispose]();
  });

  it("can be used by everybody: axe finds nothing, no enum is raw, nothing is wider than a phone, scripts are small", async () => {
    const { base } = demo.plane;
    const context = await signedIn(browser, base, owner);
    const starts = [
      "/docs",
      "/checks",
      "/checks?q=nothing-like-this",
      "/checks?by=tag",
      "/checks?by=location&fold=all",
      ...(await runsOfEachType(context)),
      ...formsOfEachType,
      await testSession(),
      ...publicPages,
    ];
    const problems: string[] = [];
    const look = async (page: Page, address: string): Promise<void> => {
      problems.push(...(await problemsOf(page)).map((problem) => `${address}: ${problem}`));
    };
    const page = await context.newPage();
    await page.goto(`${base}/checks/new?type=API`);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.locator("[aria-invalid=true]").first().waitFor();
    await look(page, "a form with problems");
    const seen = await tour(context, base, starts, look);
    const stranger = await browser.reader();
    const lookAtNew = async (where: Page, address: string): Promise<void> => (seen.includes(address) ? undefined : look(where, address));
    await tour(stranger, base, ["/", "/sign-in", "/no/such/page"], lookAtNew);
    await Promise.all([context.close(), stranger.close()]);
    expect([...problems, ...browser.takeTroubles()]).toEqual([]);
    const kinds = [
      "/alerts/log",
      "/alerts/sent",
      expect.stringMatching(/^\/alerts\/episodes\/[^/]+$/),
      "/audit",
      "/certificates",
      "/channels",
      "/incidents/new",
      "/keys",
      "/locations",
      "/maintenance",
      "/members",
      "/pages/status/new",
      "/profile",
      expect.stringMatching(/^\/test-sessions\/[^/]+\/results\/[^/]+$/),
    ];
    expect(seen).toEqual(expect.arrayContaining(kinds));
  }, 600_000);

  it("go through a dashboard by themselves, page after page, until somebody says to stay", async () => {
    const context = await browser.reader({ baseURL: demo.plane.base });
    const page = await context.newPage();
    // As after 59 of its 60 seconds.
    await page.goto("/dashboards/shop?shown=59");
    await page.waitForURL(/page=2/);
    await page.getByText("Page 2 of 3").waitFor();
    await page.getByRole("link", { name: "Stay on this page" }).click();
    await page.waitForURL(/hold=1/);
    await context.close();
    expect(browser.takeTroubles()).toEqual([]);
  });

  it("keep a private dashboard to those with its key, and look the same to others as where there is none", async () => {
    const { body: all } = await demo.plane.call("GET", "/v1/dashboards");
    const { dashboardId } = all.find(({ customUrl }: { readonly customUrl: string }) => customUrl === "payments");
    const { body: key } = await demo.plane.call("POST", `/v1/dashboards/${dashboardId}/keys`, { body: {} });
    const context = await browser.reader({ baseURL: demo.plane.base });
    const page = await context.newPage();
    const textOf = async (address: string): Promise<string> => {
      await page.goto(address);
      return page.locator("body").innerText();
    };
    const unknown = await textOf("/dashboards/not-there");
    expect([await textOf("/dashboards/payments"), await textOf("/dashboards/payments?key=da_wrong")]).toEqual([unknown, unknown]);
    await page.goto(`/dashboards/payments?key=${key.rawKey}`);
    await page.getByRole("heading", { name: "Card payments" }).waitFor();
    expect(page.url()).toBe(`${demo.plane.base}/dashboards/payments`);
    await context.close();
    expect(browser.takeTroubles()).toEqual([]);
  });

  it("are shown at domains of their own, and take subscribers of a status page", async () => {
    const port = new URL(demo.plane.base).port;
    const context = await browser.reader();
    const page = await context.newPage();
    await page.goto(`http://dash.shop.example:${port}/`);
    await page.getByRole("heading", { name: "Checkout API" }).waitFor();
    await page.getByRole("link", { name: "Latest runs" }).first().click();
    await page.getByRole("heading", { name: /Latest runs of/ }).waitFor();
    await page.goto(`http://status.shop.example:${port}/`);
    await page.getByRole("heading", { name: "Checkout fails for some orders" }).waitFor();
    await page.getByLabel(/mail/i).fill("reader@example.com");
    await page.getByRole("button", { name: /subscribe/i }).click();
    await page.getByRole("heading", { name: "Check your mail" }).waitFor();
    await context.close();
    expect(browser.takeTroubles()).toEqual([]);
  });

  it("make a status page without scripts: its cards and their order, and Enter saves it", async () => {
    const context = await signedIn(browser, demo.plane.base, owner, { javaScriptEnabled: false, baseURL: demo.plane.base });
    const page = await context.newPage();
    await page.goto("/pages/status/new");
    await page.getByLabel("Name", { exact: true }).fill("Suppliers");
    await page.getByLabel("URL path").fill("suppliers");
    await page.getByRole("button", { name: "Add card" }).click();
    await page.getByLabel("Card name").fill("Orders");
    for (const service of ["Search", "Checkout"]) {
      await page.getByLabel("Add service").selectOption(service);
      await page.getByRole("button", { name: "Add Card 1" }).click();
      await page.getByRole("button", { name: `Remove ${service}` }).waitFor();
    }
    await page.getByRole("button", { name: "Up Checkout" }).click();
    await page.getByRole("button", { name: "Down Checkout" }).waitFor();
    await page.getByLabel("Name", { exact: true }).press("Enter");
    await page.getByText("Status page created.").waitFor();
    await page.goto("/status/suppliers");
    expect(await page.locator("#services h3").allInnerTexts()).toEqual(["Checkout", "Search"]);
    await context.close();
    expect(browser.takeTroubles()).toEqual([]);
  });

  it("work without scripts: the list, a check, its run, a form that keeps what was typed, a dashboard", async () => {
    const context = await signedIn(browser, demo.plane.base, owner, { javaScriptEnabled: false, baseURL: demo.plane.base });
    const page = await context.newPage();
    await page.goto("/checks");
    await page.getByRole("searchbox").fill("check");
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(/q=check/);
    await page.getByRole("link", { name: "Checkout API" }).click();
    await page.getByRole("heading", { name: "Latest runs" }).waitFor();
    await page.locator("main a[href*='/results/']").first().click();
    await page.getByRole("heading", { name: "Phases" }).waitFor();
    await page.goto("/checks/new?type=URL");
    await page.getByLabel("Name", { exact: true }).fill("Made without a script");
    const lyon = page.getByRole("group", { name: "Private locations" }).getByLabel("Lyon office");
    await lyon.check();
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.locator("[aria-invalid=true]").waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Made without a script");
    expect(await lyon.isChecked()).toBe(true);
    await page.getByLabel("URL", { exact: true }).fill("https://shop.example/scriptless");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "Made without a script" }).waitFor();
    await page.goto("/dashboards/shop?page=2");
    await page.getByText("Page 2 of 3").waitFor();
    await context.close();
    expect(browser.takeTroubles()).toEqual([]);
  });

  it("take no harm from an answer that has begun when they want another one", async () => {
    const context = await signedIn(browser, demo.plane.base, owner, { baseURL: demo.plane.base });
    const page = await context.newPage();
    await using slow = await httpServer((_, response) => void response.writeHead(200, { "content-type": "application/json" }).write("{"));
    await page.route("**/validate", (route) => route.continue({ url: slow.url }));
    await page.goto("/checks/new?type=URL");
    for (const name of ["One", "Two", "Three"]) {
      const begun = page.waitForResponse((response) => response.url().startsWith(slow.url));
      await page.getByLabel("Name", { exact: true }).fill(name);
      await begun;
    }
    await context.close();
    expect(browser.takeTroubles()).toEqual([]);
  });

  /** One whose run waits for an agent; its page leads to that of the result. */
  async function testSession(): Promise<string> {
    const body = { checkType: "URL", name: "Tried", request: { url: "https://shop.example/" } };
    const { testSessionId } = (await demo.plane.call("POST", "/v1/checks/try?runLocation=eu-west-1", { body })).body;
    return `/test-sessions/${testSessionId}`;
  }

  async function runsOfEachType(context: BrowserContext): Promise<readonly string[]> {
    const names = [
      "Checkout API",
      "Front page",
      "Orders database",
      "shop.example resolves",
      "Gateway of the Lyon office",
      "Certificate of pay.shop.example",
      "Certificate of the old mail host",
    ];
    const page = await context.newPage();
    const runs: string[] = [];
    for (const name of names) {
      await page.goto(`/checks/${demo.checks.get(name)}`);
      runs.push((await page.locator("main a[href*='/results/']").first().getAttribute("href")) ?? "");
    }
    await page.close();
    return runs;
  }
});

const publicPages = ["/dashboards/shop", "/dashboards/payments", "/status/shop"];
const formsOfEachType = ["URL", "API", "TCP", "DNS", "ICMP", "SSL", "HEARTBEAT", "BROWSER", "PLAYWRIGHT", "GRPC"].map(
  (type) => `/checks/new?type=${type}`,
);

/** What is folded away is looked at as well. */
const unfold = "for (const one of document.querySelectorAll('details')) one.open = true;";

/** Of many alike the first ones are looked at, because axe takes long. */
const trim = `(() => {
  const like = ({ tagName, className }) => tagName + " " + (className.baseVal ?? className);
  const trim = (parent) => {
    for (const alike of Object.values(Object.groupBy(parent.children, like))) for (const one of alike.slice(5)) one.remove();
    for (const child of parent.children) trim(child);
  };
  trim(document.body);
})()`;

const [phone, screen, wall] = [360, 1_280, 2_560];

async function problemsOf(page: Page): Promise<readonly string[]> {
  const problems = [...(await scriptProblems(page))];
  const add = async (where: string, found: Promise<readonly string[]>): Promise<void> => {
    problems.push(...(await found).map((problem) => `${where}: ${problem}`));
  };
  await add("in words", rawEnums(page));
  await page.evaluate(unfold);
  for (const width of [wall, screen, phone]) {
    await resize(page, width);
    await add(`at ${width} px`, tooWide(page));
    await add(`at ${width} px`, overlapping(page));
  }
  await page.evaluate(trim);
  await add(`at ${phone} px`, axeProblems(page));
  await resize(page, wall);
  await add(`at ${wall} px`, axeProblems(page));
  await resize(page, screen);
  await page.emulateMedia({ colorScheme: "light" });
  await add("in the light", axeProblems(page));
  await page.emulateMedia({ colorScheme: "dark" });
  await add("in the dark", axeProblems(page, colourRules));
  return problems;
}

/** Charts follow the width, each before the next frame. */
async function resize(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 });
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

/** What sticks out of the page to its right, where the page would have to be moved sideways for it. */
async function tooWide(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const out = [...document.body.querySelectorAll("*")].filter((one) => one.getBoundingClientRect().right > clientWidth + 1);
    return ["it is " + scrollWidth + " px wide: " + out.slice(0, 3).map((one) => one.outerHTML.slice(0, 120)).join(" | ")];
  })()`);
}

/** States and facts that are wider than their place, and so stand on top of what is beside them. */
async function overlapping(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll(".facts dd, main.content .plain > li, .head > *")]
    .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline" && getComputedStyle(one).overflowX === "visible")
    .slice(0, 3).map((one) => "it is wider than its place: " + one.outerHTML.slice(0, 160))`);
}

/** Words that are names outside of the API, too. */
const known = new Set([
  "AAAA",
  "CNAME",
  "DEBUG",
  "DELETE",
  "ERROR",
  "FALLBACK",
  "GRPC",
  "HEAD",
  "HTTPS",
  "ICMP",
  "INFO",
  "JSON",
  "NAPTR",
  "NONE",
  "OPTIONS",
  "PATCH",
  "POST",
  "SCTP",
  "TLSA",
  "TTFB",
  "WARN",
]);

/** In capitals, of all operations: what no reader should meet. */
const enumValues = new Set(
  operations
    .flatMap(({ body, output, query }: Operation) =>
      [body, output, query].flatMap((schema) => {
        if (schema === undefined) return [];
        const text = JSON.stringify(z.toJSONSchema(schema, { io: "input", unrepresentable: "any", target: "openapi-3.0" }));
        return [...text.matchAll(/"enum":(\[[^\]]*\])/g)].flatMap(([, values]) => JSON.parse(values ?? "[]") as readonly unknown[]);
      }),
    )
    .filter((value): value is string => typeof value === "string" && /^[A-Z][A-Z0-9]{3,}(?:_[A-Z0-9]+)*$/.test(value) && !known.has(value)),
);

/** Values of enums as the API has them, outside of what is code. The references of API and settings have them on purpose. */
async function rawEnums(page: Page): Promise<readonly string[]> {
  if (new URL(page.url()).pathname.startsWith("/docs")) return [];
  return page.evaluate<string[]>(`(() => {
    const enums = /\\b(?:${[...enumValues].join("|")})\\b/;
    const copy = document.body.cloneNode(true);
    for (const one of copy.querySelectorAll("code, pre, textarea, script, style, kbd, .verbatim, .hash")) one.remove();
    const texts = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) if (enums.test(texts.currentNode.data)) found.push("it shows a raw enum: " + texts.currentNode.data.trim().slice(0, 120));
    return found.slice(0, 5);
  })()`);
}

/** Scripts of a page as they are sent: packed, each module that was asked for and what stands in the document. */
async function scriptProblems(page: Page): Promise<readonly string[]> {
  const modules = await page.evaluate<string[]>(
    "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('/assets/'))",
  );
  const inline = await page.evaluate<string[]>("[...document.scripts].filter(({ src }) => src === '').map(({ text }) => text)");
  const sizes = await Promise.all(modules.map(async (address) => Number((await fetch(address)).headers.get("content-length"))));
  const bytes = [...sizes, ...inline.map((text) => gzipSync(text).length)].reduce((sum, size) => sum + size, 0);
  return bytes <= maxScriptBytes ? [] : [`${bytes} bytes of script: ${modules.join(" ")}`];
}
