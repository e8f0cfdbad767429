import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noChromium, type WatchedBrowser, watchedBrowser } from "../support/chromium.ts";
import { freePorts } from "../support/free-ports.ts";
import { type HttpServer, httpServer } from "../support/http-servers/http-server.ts";
import { OutpostProcess, until } from "../support/processes.ts";

const [mostMs, mostClicks] = [180_000, 15];

/** From nothing to the first alert by clicks alone, on `outpost up` with its own agent. */
describe.skipIf(noChromium !== null)("a new installation in a real browser", { timeout: 240_000 }, () => {
  const received: string[] = [];
  let folder: string;
  let outpost: OutpostProcess;
  let base: string;
  let browser: WatchedBrowser;
  let shop: HttpServer;
  let hook: HttpServer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "outpost-first-alert-"));
    shop = await httpServer((_, response) => response.writeHead(503).end("closed"));
    hook = await httpServer((request, response) => {
      request.on("data", (bytes: Buffer) => received.push(bytes.toString()));
      request.on("end", () => response.end("taken"));
    });
    const [port = 0, healthPort = 0] = await freePorts(2);
    const env = { AGENT_HEALTH_PORT: String(healthPort) };
    outpost = new OutpostProcess(["up", "--data-dir", join(folder, "data"), "--port", String(port)], env, folder);
    base = `http://127.0.0.1:${port}`;
    browser = await watchedBrowser();
    await until("the summary", () => /Sign in +http\S+token=\S+/.test(outpost.stdout), 60_000);
  }, 180_000);
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await outpost[Symbol.asyncDispose]();
    await Promise.all([shop, hook].map((server) => server[Symbol.asyncDispose]()));
    await rm(folder, { recursive: true, force: true });
  });

  it("alerts somebody in under three minutes and fifteen clicks", async () => {
    const context = await browser.reader({ baseURL: base });
    const page = await context.newPage();
    let clicks = 0;
    const click = async (role: "button" | "link" | "checkbox", name: string | RegExp): Promise<void> => {
      clicks += 1;
      await page
        .getByRole(role, { name, ...(typeof name === "string" && { exact: true }) })
        .first()
        .click();
    };
    const fill = (label: string, text: string): Promise<void> => page.getByLabel(label, { exact: true }).fill(text);
    const begun = performance.now();
    await page.goto(/Sign in +(http\S+)/.exec(outpost.stdout)?.[1] ?? "");
    await fill("Your name", "Ada");
    await fill("E-mail address", "ada@example.com");
    await fill("Password", "a fine long phrase");
    await click("button", "Create owner");
    await click("link", "Test an alert channel");
    await click("link", "Webhook");
    await fill("Name", "On-call rota");
    await fill("URL", `${hook.url}/alerts`);
    await click("checkbox", "Subscribe to every new check and group");
    await click("button", "Create channel");
    await click("link", "Checks");
    await click("link", "New check");
    await click("link", /^API/);
    await fill("Name", "Shop");
    await fill("URL", `${shop.url}/`);
    await click("button", "Create");
    await click("button", "Run now");
    await until(
      "the alert at its receiver",
      () => received.some((body) => body.includes("ALERT_FAILURE") && body.includes("Shop")),
      120_000,
    );
    expect(performance.now() - begun).toBeLessThan(mostMs);
    expect(clicks).toBeLessThan(mostClicks);
    await context.close();
    expect(browser.takeTroubles()).toEqual([]);
  });
});
