import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPageDomains } from "../../../src/control-plane/pages/public/page-domain.ts";
import { statusPages } from "../../../src/control-plane/pages/status/status-pages.ts";
import { withoutOurScripts } from "../../support/our-scripts.ts";
import type { Answer } from "../call.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { httpServer } from "../http/http-server.ts";
import { get as getFrom } from "./get.ts";

const hour = 3_600_000;
const day = 24 * hour;

const home = "http://outpost.example.org";

describe("status pages for everybody", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest({ PUBLIC_URL: home, PAGE_DOMAINS: "trusted" });
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const post = async (path: string, body: unknown, key?: string): Promise<Answer["body"]> => {
    const answer = await plane.call("POST", path, { body, ...(key !== undefined && { key }) });
    if (answer.status >= 300) throw new Error(answer.text);
    return answer.body;
  };
  const service = (name: string, key?: string) => post("/v1/status-pages/services", { name }, key);
  const incident = (name: string, severity: string, services: readonly object[], updates: readonly object[], key?: string) =>
    post("/v1/status-pages/incidents", { name, severity, services, incidentUpdates: updates }, key);
  let made = 0;
  const page = (change: object = {}, key?: string) =>
    post("/v1/status-pages", { name: "Shop status", url: `status-${(made += 1)}`, cards: [], ...change }, key);
  const cardOf = (...services: readonly object[]) => [{ name: "Buying", services }];
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) => getFrom(plane.base, path, headers);
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

  it("show services in their cards, how they stand and how they stood", async () => {
    const [checkout, search] = [await service("Checkout"), await service("Search")];
    await incident(
      "Search was down",
      "CRITICAL",
      [search],
      [
        { status: "INVESTIGATING", description: "We look.", publicIncidentUpdateDate: ago(2 * day + hour) },
        { status: "RESOLVED", description: "Back again.", publicIncidentUpdateDate: ago(2 * day) },
      ],
    );
    const { url } = await page({ description: "How we do", cards: cardOf(checkout, search) });
    const { status, text, headers } = await get(`/status/${url.toUpperCase()}`);
    expect([status, headers.get("cache-control"), headers.get("refresh")]).toEqual([200, "public, max-age=10", "300"]);
    expect(text).toMatch(
      /<h1>Shop status<\/h1><p>How we do<\/p>[\s\S]*All systems operational[\s\S]*<h2>Buying<\/h2>[\s\S]*Checkout[\s\S]*Search/,
    );
    expect(text).toContain('aria-label="Checkout, last 90 days: 1 day without incidents, 89 days before it was added"');
    expect(text).toMatch(
      /aria-label="Search, last 90 days: [12] days? without incidents, [12] days? with major outage, \d+ days before it was added"/,
    );
    expect(text).toMatch(/Past incidents[\s\S]*Search was down[\s\S]*· lasted 1 h[\s\S]*Back again\.[\s\S]*We look\./);
    expect(text).toMatch(/\d\d\.\d+ % uptime in [34] days/);
  });

  it("claim nothing where there is no service, and no share of a day that has just begun", async () => {
    const { url } = await page({ cards: [{ name: "Empty card", services: [] }] });
    const { text } = await get(`/status/${url}`);
    expect(text).toContain("No services to show yet.");
    expect(text).not.toContain("All systems operational");
    const struck = await service("Just made");
    await incident("Something", "MAJOR", [struck], [{ description: "We look.", status: "INVESTIGATING" }]);
    expect((await get(`/status/${(await page({ cards: cardOf(struck) })).url}`)).text).not.toContain("uptime in");
  });

  it.each([
    ["CRITICAL", "Major outage", "Major outage"],
    ["MAJOR", "Partial outage", "Partial outage"],
    ["MEDIUM", "Degraded performance", "Degraded performance"],
    ["MINOR", "Minor disruption", "Minor disruption"],
  ])("say what an open incident means: %s", async (severity, overall, state) => {
    const struck = await service("Struck");
    await incident("Something", severity, [struck], [{ description: "We look.", status: "IDENTIFIED" }]);
    const { text } = await get(`/status/${(await page({ cards: cardOf(struck) })).url}`);
    expect(text).toContain(overall);
    expect(text).toMatch(new RegExp(`Active incidents[\\s\\S]*Something[\\s\\S]*Identified[\\s\\S]*Buying[\\s\\S]*${state}`));
  });

  it("announce maintenance where its window says so, and tell when it goes on", async () => {
    const [one, other] = [await service("One"), await service("Other")];
    const [shown, elsewhere] = [await page({ cards: cardOf(one) }), await page({ cards: cardOf(other) })];
    const maintenance = (name: string, fromMs: number, visibility: object) =>
      post("/v1/maintenance-windows", {
        name,
        description: "Slow for a while",
        repeatUnit: "",
        startsAt: new Date(Date.now() + fromMs).toISOString(),
        endsAt: new Date(Date.now() + fromMs + 2 * hour).toISOString(),
        statusPageVisibility: { severity: null, ...visibility },
      });
    await maintenance("Database upgrade", day, { enabled: true, severity: "MAJOR", statusPageIds: [shown.id], serviceIds: [one.id] });
    await maintenance("Hidden work", day, { enabled: false });
    await maintenance("Over", -5 * hour, { enabled: true, serviceIds: [one.id] });
    const coming = (await get(`/status/${shown.url}`)).text;
    expect(coming).toMatch(
      /All systems operational[\s\S]*Planned maintenance[\s\S]*Database upgrade[\s\S]*Planned[\s\S]*Slow for a while[\s\S]*Operational/,
    );
    expect(coming).not.toMatch(/Hidden work|<h3>Over/);
    expect(coming).toContain("</time> · Expect: partial outage</p>");
    const feed = JSON.parse((await get(`/status/${shown.url}/feed.json`)).text);
    expect(feed.items[0].content_text).toContain("UTC.\nExpect: partial outage.\nSlow for a while");
    expect((await get(`/status/${elsewhere.url}`)).text).not.toContain("Database upgrade");
    await maintenance("Switch swap", -hour, { enabled: true, serviceIds: [one.id], showAffectedServices: false });
    plane.advance(10_001);
    expect((await get(`/status/${shown.url}`)).text).toMatch(
      /Maintenance in progress[\s\S]*Switch swap[\s\S]*In progress[\s\S]*UTC<\/time><\/p>[\s\S]*Under maintenance/,
    );
  });

  it("have the theme, pictures and link that were chosen", async () => {
    const names = [
      "bodyBackgroundColor",
      "headerBackgroundColor",
      "headerFontColor",
      "titleFontColor",
      "bodyFontColor",
      "bodyFontColorMuted",
      "navigationFontColor",
      "linkFontColor",
      "cardBackgroundColor",
      "borderColor",
      "primaryButtonBackgroundColor",
      "primaryButtonFontColor",
    ];
    const colors = (color: string) => Object.fromEntries(names.map((name) => [name, color]));
    const { url } = await page({
      defaultTheme: "DARK",
      themeColors: { light: colors("#fff"), dark: colors("#123456") },
      logo: "https://cdn.example.com/light.png",
      logoDark: "https://dark.example.com/dark.png",
      favicon: "http://plain.example.com/i.png",
      redirectTo: "https://example.com/",
    });
    const { text, headers } = await get(`/status/${url}`);
    expect(text).toContain('<meta name="color-scheme" content="dark">');
    expect(text).toContain(":root { color-scheme: dark; }");
    expect(text).toContain(
      '<a href="https://example.com/" rel="noopener noreferrer"><img src="https://dark.example.com/dark.png" alt="Shop status"></a>',
    );
    expect(headers.get("content-security-policy")).toContain("img-src data: https://cdn.example.com https://dark.example.com;");
    expect(headers.get("content-security-policy")).toMatch(/style-src 'sha256-[\w+/=]+' 'self'/);
    expect(text).not.toContain("plain.example.com");
    const theme = await get(/<link rel="stylesheet" href="([^"]+)">/.exec(text)?.[1] ?? "");
    expect([theme.headers.get("content-type"), theme.headers.get("x-content-type-options")]).toEqual([
      "text/css; charset=utf-8",
      "nosniff",
    ]);
    expect(theme.text).toContain("--ground: light-dark(#fff, #123456);");

    const both = await page({ logo: "https://cdn.example.com/a.png", logoDark: "https://cdn.example.com/b, c.png" });
    const automatic = (await get(`/status/${both.url}`)).text;
    expect(automatic).toContain(
      `<source srcset="https://cdn.example.com/b%2C%20c.png" media="(prefers-color-scheme: dark)"><img src="https://cdn.example.com/a.png"`,
    );
    expect(automatic).not.toContain('rel="stylesheet"');
  });

  it("have feeds of what goes on, went on and is planned", async () => {
    const struck = await service("Feed & Co");
    const at = ago(hour);
    const { id } = await incident(
      "Slow <b>",
      "MINOR",
      [struck],
      [{ description: "One & two\u0007", status: "INVESTIGATING", publicIncidentUpdateDate: at }],
    );
    const { url } = await page({ name: "News & more", description: "All of it", cards: cardOf(struck) });
    const rss = await get(`/status/${url}/feed.rss`);
    expect(rss.headers.get("content-type")).toBe("application/rss+xml; charset=utf-8");
    expect(rss.text).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<rss version="2\.0"/);
    expect(rss.text).toContain("<title>News &amp; more</title>");
    expect(rss.text).toContain("<title>Investigating: Slow &lt;b&gt;</title>");
    expect(rss.text).toContain(`<guid isPermaLink="false">${id}</guid>\n<pubDate>${new Date(at).toUTCString()}</pubDate>`);
    expect(rss.text).toContain(`<link>${home}/status/${url}#incident-${id}</link>`);
    expect(rss.text).toContain("One &amp;amp; two ");
    const json = await get(`/status/${url}/feed.json`);
    expect(json.headers.get("content-type")).toBe("application/feed+json; charset=utf-8");
    expect(JSON.parse(json.text)).toMatchObject({
      version: "https://jsonfeed.org/version/1.1",
      title: "News & more",
      home_page_url: `${home}/status/${url}`,
      feed_url: `${home}/status/${url}/feed.json`,
      items: [{ id, title: "Investigating: Slow <b>", date_published: at, content_text: expect.stringContaining("Affects: Feed & Co") }],
    });
    const seen = (await get(`/status/${url}`)).text;
    expect(seen).toContain(`<link rel="alternate" type="application/rss+xml" href="/status/${url}/feed.rss"`);
    expect(seen).toContain(`id="incident-${id}"`);
  });

  it("tell calendars of planned maintenance, in lines that every program reads", async () => {
    const struck = await service("Feed & Co");
    const { id: pageId, url } = await page({ name: "Calendars", cards: cardOf(struck) });
    const name = "Swap; of, disks \u{1F4BE} ".repeat(8).trim();
    const [startsAt, endsAt] = [new Date(Date.now() + day).toISOString(), new Date(Date.now() + day + hour).toISOString()];
    const visibility = { enabled: true, severity: "MAJOR", statusPageIds: [pageId], serviceIds: [struck.id] };
    await post("/v1/maintenance-windows", {
      name,
      description: "Two\nlines",
      startsAt,
      endsAt,
      repeatUnit: "",
      statusPageVisibility: visibility,
    });
    const { text, headers } = await get(`/status/${url}/maintenance.ics`);
    expect(headers.get("content-type")).toBe("text/calendar; charset=utf-8");
    const lines = text.split("\r\n");
    expect(lines.filter((line) => Buffer.byteLength(line) > 75 || line.includes("\n"))).toEqual([]);
    const whole = text.replaceAll("\r\n ", "").split("\r\n");
    const stamp = (at: string): string => `${at.slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
    expect(whole).toEqual(
      expect.arrayContaining([
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "NAME:Calendars",
        `DTSTART:${stamp(startsAt)}`,
        `DTEND:${stamp(endsAt)}`,
        `SUMMARY:Planned: ${name.replaceAll(/[;,]/g, "\\$&")}`,
        expect.stringMatching(/^DESCRIPTION:Two\\nlines/),
        "END:VCALENDAR",
      ]),
    );
    expect((await get(`/status/${url}`)).text).toContain(`href="/status/${url}/maintenance.ics"`);
  });

  it("answer at their own domain, with feeds of that domain", async () => {
    await page({ name: "At home", customDomain: "status.example.org", cards: [] });
    const front = await get("/", { host: "Status.Example.ORG:8080" });
    expect(front.text).toContain("<h1>At home</h1>");
    const feed = await get("/status/~/feed.json", { host: "status.example.org" });
    expect(JSON.parse(feed.text)).toMatchObject({
      home_page_url: "http://status.example.org/",
      feed_url: "http://status.example.org/status/~/feed.json",
      items: [],
    });
  });

  it.each(["/status/missing", "/status/~", "/status/missing/feed.rss", "/status/missing/theme.css", "/status/%00", "/status/x%2Fy"])(
    "do not exist at %s",
    async (path) => {
      const { status, text } = await get(path);
      expect([status, text.includes("There is no status page at this address.")]).toEqual([404, true]);
    },
  );

  it("offer to subscribe only where mail can be sent", async () => {
    const { url } = await page();
    const without = await get(`/status/${url}`);
    expect(without.text).not.toContain("<form");
    expect(without.headers.get("content-security-policy")).toContain("form-action 'none'");
    const { documents } = plane.context.storage;
    const rules = { publicUrl: null, pageDomainsTrusted: false, pageDomainDns: [], log: pino({ level: "silent" }) };
    const domains = createPageDomains({ ...plane.context.storage, ...rules, hashOf: plane.context.hashOf, nowMs: Date.now });
    const { routes } = statusPages({ documents, publicUrl: () => plane.base, domains, nowMs: Date.now, canSubscribe: true });
    await using server = await httpServer([], { pages: routes });
    const { text, headers } = await getFrom(server.base, `/status/${url}`);
    expect(text).toContain(`<form method="post" action="/status/${url}/subscribe">`);
    expect(text).toContain('name="address" type="email"');
    expect(headers.get("content-security-policy")).toContain("form-action 'self'");
  });

  it("keep what is hostile inert, and show nothing of other accounts", async () => {
    const script = `</title><script>alert(1)</script>"'><img src=x onerror=alert(1)>`;
    const struck = await service(script);
    await incident(script, "MINOR", [struck], [{ description: script, status: "INVESTIGATING" }]);
    const { url } = await page({ name: script, description: script, cards: [{ name: script, services: [struck] }] });
    const { text, headers } = await get(`/status/${url}`);
    expect(withoutOurScripts(text)).not.toMatch(/<script|<img src=x/);
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'; img-src data:; base-uri 'none'/,
    );
    for (const file of ["feed.rss", "feed.json"]) {
      const feed = await get(`/status/${url}/${file}`);
      expect(feed.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    }
    expect((await get(`/status/${url}/feed.rss`)).text).not.toMatch(/<script|<img/);

    const stranger = { uuid: randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: Date.now() };
    const key = await plane.keyFor("OWNER", (await plane.context.storage.accounts.create(stranger)).id);
    const theirs = await service("Their secret", key);
    await incident("Their trouble", "MAJOR", [theirs], [{ description: "Theirs.", status: "INVESTIGATING" }], key);
    plane.advance(10_001);
    expect((await get(`/status/${url}`)).text).not.toMatch(/Their/);
  });
});
