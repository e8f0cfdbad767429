import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { icmpAbility } from "../../src/agent/net/icmp/icmp-ability.ts";
import { type Certificates, makeCertificates } from "../support/certificates.ts";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { type DnsServer, dnsServer } from "../support/dns-server.ts";
import { freePorts } from "../support/free-ports.ts";
import { type HttpServer, httpServer } from "../support/http-servers/http-server.ts";
import { type RawServer, serve } from "../support/http-servers/raw-server.ts";
import { OutpostProcess, until } from "../support/processes.ts";

const noPings: string | null = icmpAbility().path === "none" ? "this user may not ping" : null;
if (noPings !== null) process.stdout.write(`A step of the journey in a browser is skipped: ${noPings}\n`);

const password = "a fine long phrase";
const person = { email: "ada@example.com", password };

/** What a user of the first hour does, in one browser, on `outpost up` and targets of this machine. */
describe.skipIf(noChromium !== null)("a first hour with Outpost in a real browser", { timeout: 120_000 }, () => {
  const received: string[] = [];
  let isShopUp = true;
  let folder: string;
  let outpost: OutpostProcess;
  let base: string;
  let browser: WatchedBrowser;
  let context: BrowserContext;
  let page: Page;
  let shop: HttpServer;
  let hook: HttpServer;
  let names: DnsServer;
  let certificates: Certificates;
  let secure: RawServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "outpost-journey-"));
    shop = await httpServer((_, response) => response.writeHead(isShopUp ? 200 : 503).end(isShopUp ? "open" : "closed"));
    hook = await httpServer((request, response) => {
      request.on("data", (bytes: Buffer) => received.push(bytes.toString()));
      request.on("end", () => response.end("taken"));
    });
    names = await dnsServer(() => ({ addresses: ["192.0.2.7"] }));
    certificates = makeCertificates();
    secure = await serve(
      createServer(certificates.pair("good"), (_, response) => response.end("open")),
      "listening",
      () => undefined,
    );
    const [port = 0, healthPort = 0] = await freePorts(2);
    outpost = new OutpostProcess(
      ["up", "--data-dir", join(folder, "data"), "--port", String(port)],
      { AGENT_HEALTH_PORT: String(healthPort) },
      folder,
    );
    base = `http://127.0.0.1:${port}`;
    browser = await watchedBrowser();
    context = await browser.reader({ baseURL: base });
    page = await context.newPage();
  }, 180_000);
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await outpost[Symbol.asyncDispose]();
    for (const server of [shop, hook, names, secure]) await server[Symbol.asyncDispose]();
    certificates[Symbol.dispose]();
    await rm(folder, { recursive: true, force: true });
  });

  afterEach(() => {
    const troubles = browser.takeTroubles();
    if (troubles.length > 0) throw new Error(troubles.join("\n"));
  });

  const press = (name: string | RegExp): Promise<void> => page.getByRole("button", { name, exact: true }).click();
  const fill = (label: string, text: string): Promise<void> => page.getByLabel(label, { exact: true }).fill(text);

  /** Looks again until it is there, as people do where a page does not change by itself. Nothing else may be on its way to this page. */
  async function shown(at: Page, what: Locator): Promise<void> {
    for (;;) {
      const isThere = await what
        .first()
        .waitFor({ timeout: 3_000 })
        .then(
          () => true,
          () => false,
        );
      if (isThere) return;
      await at.reload();
    }
  }

  /** Makes a check in its form, runs it, and opens its run. */
  async function makeAndRun(
    type: string,
    name: string,
    fields: Readonly<Record<string, string>>,
    ticked: readonly string[] = [],
  ): Promise<void> {
    await page.goto("/checks");
    await page.getByRole("link", { name: "New check" }).click();
    await page.getByRole("link", { name: new RegExp(`^${type}`) }).click();
    await fill("Name", name);
    for (const summary of await page.locator("form.edit summary").all()) await summary.click();
    for (const [label, text] of Object.entries(fields)) await fill(label, text);
    for (const label of ticked) await page.getByLabel(label, { exact: true }).check();
    await press("Create");
    await page.getByRole("heading", { name, exact: true }).waitFor();
    await press("Run now");
    await page.getByRole("row").filter({ hasText: "passed" }).first().waitFor();
    await page.getByRole("row").filter({ hasText: "passed" }).first().getByRole("link").click();
    await page.getByRole("heading", { name: "Run details" }).waitFor();
  }

  it("begins at the printed address, where the first owner is made", async () => {
    await until("the summary", () => /Sign in +http\S+token=\S+/.test(outpost.stdout), 60_000);
    await page.goto(/Sign in +(http\S+)/.exec(outpost.stdout)?.[1] ?? "");
    await fill("Your name", "Ada");
    await fill("E-mail address", person.email);
    await fill("Password", "short");
    await press("Create owner");
    await page.locator("[aria-invalid=true]").waitFor();
    expect(await page.getByLabel("Your name").inputValue()).toBe("Ada");
    await fill("Password", password);
    await press("Create owner");
    await page.getByRole("link", { name: "New check" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/checks");
  });

  it("goes on after signing out, a wrong password and a session that is over", async () => {
    await page.locator("details.me summary").click();
    await press("Sign out");
    await fill("E-mail address", person.email);
    await fill("Password", "not the password");
    await press("Sign in");
    await page.getByText("The e-mail address or the password is wrong.").waitFor();
    expect(await page.getByLabel("E-mail address").inputValue()).toBe(person.email);
    await fill("Password", password);
    await press("Sign in");
    await page.getByRole("link", { name: "Locations", exact: true }).waitFor();
    await context.clearCookies({ name: "outpost_session" });
    await page.getByRole("link", { name: "Locations", exact: true }).click();
    await fill("E-mail address", person.email);
    await fill("Password", password);
    await press("Sign in");
    await page.getByRole("heading", { name: "Locations" }).waitFor();
  });

  it("tries a check in its form before it is stored", async () => {
    await page.goto("/checks/new?type=API");
    await fill("Name", "Never stored");
    await fill("URL", `${shop.url}/tried`);
    await press("Run without saving");
    const tried = page.locator("#tried");
    await tried.getByText("passed").waitFor();
    await page.getByLabel("Target of assertion 1").fill("418");
    await press("Run without saving");
    await tried.getByText("failed").waitFor();
    await tried.getByText('expected the status code to equal "418"').waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Never stored");
    await fill("Name", "");
    await press("Run without saving");
    await tried.getByText("Correct the fields marked below").waitFor();
    await page.locator("#name[aria-invalid=true]").waitFor();
    await page.goto("/checks");
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await page.getByText("Never stored").count()).toBe(0);
  });

  it("makes a channel and sees its sample arrive", async () => {
    await page.goto("/channels");
    await page.getByRole("link", { name: "Webhook", exact: true }).click();
    await fill("Name", "On-call rota");
    await fill("URL", "not an address");
    await page.getByLabel("Subscribe to every new check and group").check();
    await press("Create channel");
    await page.locator("[aria-invalid=true]").waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("On-call rota");
    await fill("URL", `${hook.url}/alerts`);
    await press("Create channel");
    await page.getByRole("button", { name: /Send test message/ }).click();
    await page.getByText("Test message delivered to On-call rota.").waitFor();
    expect(received).toHaveLength(1);
  });

  it("makes a check of each type in the forms and sees its run", async () => {
    await makeAndRun("URL", "Shop page", { URL: shop.url });
    await makeAndRun("API", "Shop API", { URL: `${shop.url}/orders`, "Headers: name 1": "Accept", "Headers: value 1": "text/plain" });
    await page.getByText("status code equals 200").waitFor();
    await makeAndRun("TCP", "Shop port", { Host: "127.0.0.1", Port: String(shop.port) });
    await makeAndRun("DNS", "Shop name", { "Domain name": "shop.example", "Name server": "127.0.0.1", Port: String(names.port) });
    await page.locator("pre").filter({ hasText: "192.0.2.7" }).waitFor({ state: "attached" });
    await makeAndRun("SSL", "Shop certificate", { Host: "localhost", Port: String(secure.port) }, ["Accept untrusted chains"]);
    await page.getByRole("heading", { name: "Chain as sent" }).waitFor();
    await makeAndRun("URL", "Shop over TLS", { URL: `https://localhost:${secure.port}/` }, ["Accept untrusted certificates"]);
    await page.goto("/checks?q=Shop");
    expect(await page.locator("ol.checks > li").count()).toBe(6);
  });

  it.skipIf(noPings !== null)("pings a host", async () => {
    await makeAndRun("ICMP", "Shop host", { Host: "127.0.0.1", "Pings per run": "2" });
    await expect.poll(() => page.getByText("0 %: 2 of 2 received").count()).toBe(1);
  });

  it("waits for a heartbeat and sees its ping", async () => {
    await page.goto("/checks/new?type=HEARTBEAT");
    await fill("Name", "Nightly backup");
    await press("Create");
    await page.getByRole("heading", { name: "Nightly backup", exact: true }).waitFor();
    const { heartbeat } = await api<{ readonly heartbeat: { readonly pingUrl: string } }>(page.url().replace(base, "/v1"));
    expect((await fetch(heartbeat.pingUrl)).status).toBe(200);
    await page.goto("/checks?q=backup");
    await shown(page, page.getByRole("listitem").filter({ hasText: "Nightly backup" }).filter({ hasText: "Passing" }));
  });

  it("breaks a target, is told of it, reads why, mends it and is told again", async () => {
    isShopUp = false;
    await page.goto("/checks?q=Shop+API");
    await page.getByRole("link", { name: "Shop API" }).click();
    await press("Run now");
    await page.getByRole("row").filter({ hasText: "failed" }).first().waitFor();
    await page.goto("/alerts");
    const alerts = page.getByRole("listitem").filter({ hasText: "Shop API" });
    await shown(page, alerts.filter({ hasText: "Failing" }).filter({ hasText: /Delivered\s*On-call rota/ }));
    await until("the alert at its receiver", () => received.some((body) => body.includes("ALERT_FAILURE") && body.includes("Shop API")));
    await alerts
      .filter({ hasText: "Failing" })
      .getByRole("link", { name: /^View run/ })
      .click();
    await page.getByRole("heading", { name: "Assertions" }).waitFor();
    await page.locator("pre").filter({ hasText: "closed" }).waitFor();
    isShopUp = true;
    await page.getByRole("link", { name: "Shop API" }).click();
    await press("Run now");
    await page.getByRole("row").filter({ hasText: "passed" }).nth(1).waitFor();
    await page.goto("/alerts/log?kind=recoveries");
    await shown(page, alerts.filter({ hasText: "Recovered" }).filter({ hasText: /Delivered\s*On-call rota/ }));
    await until("the recovery at its receiver", () => received.some((body) => body.includes("ALERT_RECOVERY")));
    expect(received.filter((body) => body.includes("ALERT_FAILURE"))).toHaveLength(1);
  });

  it("tells readers of an incident on a status page, and that it is over", async () => {
    const service = await api("/v1/status-pages/services", { name: "Checkout" });
    await api("/v1/status-pages", { name: "Shop status", url: "shop", cards: [{ name: "Buying", services: [service] }] });
    const reader = await (await browser.reader({ baseURL: base })).newPage();
    await page.goto("/incidents/new");
    await fill("Name", "Orders are late");
    await page.getByLabel("Checkout", { exact: true }).check();
    await fill("Message", "We look into it.");
    await press("Open incident");
    await page.getByText("Incident opened").waitFor();
    await page.goto("/incidents");
    await page.getByRole("link", { name: "Orders are late" }).click();
    await reader.goto("/status/shop");
    await reader.getByRole("heading", { name: "Orders are late" }).waitFor();
    await reader.locator(".overall", { hasText: "Partial outage" }).waitFor();
    await fill("Message", "All is well again.");
    await press("Resolve incident");
    await shown(reader, reader.getByText("All systems operational"));
    await reader.getByText("All is well again.").waitFor();
    expect(await reader.locator(".overall", { hasText: "Partial outage" }).count()).toBe(0);
  });

  /** As one who has the key that `outpost up` wrote down. */
  async function api<T = { readonly id: string }>(path: string, body?: object): Promise<T> {
    const { apiKey } = JSON.parse(await readFile(join(folder, "data", "credentials.json"), "utf8")) as { readonly apiKey: string };
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const answer = await fetch(base + path, { headers, ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }
});
