import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { episodeLink } from "../../../src/control-plane/alerting/episode-links.ts";
import { type MailServer, mailServer } from "../alerting/channels/mail-server.ts";
import { type AlertingSite, alertingSite, down, made } from "../alerting-site.ts";
import { eventually } from "../control-plane-under-test.ts";
import { type Browser, browser } from "./browser.ts";
import { activeParts, evil, keyHolder, stranger } from "./key-holder.ts";
import { ada, firstOwner, joined } from "./people.ts";

describe("the pages of episodes", { timeout: 120_000 }, () => {
  let server: MailServer;
  let plane: AlertingSite;
  let owner: Browser;
  let reader: Browser;
  let shop: string;
  let search: string;
  let path: string;
  let channel: number;
  beforeAll(async () => {
    server = await mailServer();
    plane = await alertingSite(undefined, { SMTP_URL: `smtp://127.0.0.1:${server.port}`, SMTP_FROM: "outpost@shop.example" });
    owner = await firstOwner(plane);
    await joined(plane, owner, "bob@example.com", "READ_WRITE");
    reader = await keyHolder(plane, await plane.keyFor("READ_ONLY"));
    const body = { type: "EMAIL", config: { address: "ops@example.com" }, autoSubscribe: true };
    channel = Number(made(await plane.call("POST", "/v1/alert-channels", { body })));
    shop = await plane.make({ name: `Shop ${evil}`, request: { method: "GET", url: "https://shop.example/" } });
    search = await plane.make({ name: "Search", request: { method: "GET", url: "https://search.example/" } });
    await plane.run(shop, { ...down, errorMessage: `no ${evil}` });
    await plane.run(search, down);
    await eventually(async () => mails().length >= 2);
    path = pathOf((await owner.get(`/alerts?check=${shop}`)).text);
  }, 120_000);
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const mails = () => server.mails.filter(({ to }) => to.includes("ops@example.com"));
  const pathOf = (text: string): string => /href="(\/alerts\/episodes\/[0-9a-f-]{36})"/.exec(text)?.[1] ?? "no episode";
  const plain = (source: string): string => source.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  const linkIn = (subject: string): string => {
    const mail = mails().find(({ headers }) => String(headers["subject"]).includes(subject));
    return /http:\/\/[^/\s"]+(\/alerts\/respond\/[\w.]+)/.exec(plain(mail?.source ?? ""))?.[1] ?? "no link";
  };
  const operations = async (): Promise<readonly string[]> =>
    (await plane.call("GET", "/v1/audit-log?limit=100")).body.entries.map(({ operation }: { operation: string }) => operation);

  it("list what is open, since when, why, where and who was told; and say it to readers without a button", async () => {
    const { status, text } = await reader.get("/alerts");
    expect(status).toBe(200);
    expect(text).toContain("Open (2)");
    expect(text).toContain("status 503 is not 200");
    expect(text).toContain("1 run failed or degraded");
    expect(text).toMatch(/Delivered<\/span> <a href="\/alerts\/sent\?channel=\d+">ops@example.com/);
    expect(text).toContain("No closed alerts yet.");
    expect(text).not.toContain('class="quiet">Acknowledge');
    expect(activeParts(text)).toEqual([]);
    const page = await reader.get(path);
    expect(page.status).toBe(200);
    expect(page.text).toContain("Opened: Failing");
    expect(page.text).not.toContain("<button>Acknowledge");
    expect(page.text).not.toContain("Add comment");
    expect(activeParts(page.text)).toEqual([]);
    expect((await reader.post(`${path}/acknowledge`)).status).toBe(403);
  });

  it("say what failed on a day, and nothing on one before", async () => {
    const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
    const now = plane.context.nowMs();
    const today = (await owner.get(`/alerts?day=${dayOf(now)}`)).text;
    expect(today).toContain("View timeline");
    expect(today).toContain(`href="/alerts?state=closed&amp;day=${dayOf(now)}"`);
    const before = (await owner.get(`/alerts?day=${dayOf(now - 2 * 86_400_000)}`)).text;
    expect(before).not.toContain("View timeline");
    expect(before).toContain("No alerts match.");
    for (const odd of ["2026-02-31", "yesterday", "2026-13-01"])
      expect((await owner.get(`/alerts?day=${odd}`)).text).toContain("View timeline");
  });

  it("put those together that fail with the same error", async () => {
    const others = [await plane.make({ name: "One" }), await plane.make({ name: "Two" })];
    for (const one of others) await plane.run(one, { ...down, errorMessage: "connect ECONNREFUSED" });
    const { text } = await owner.get("/alerts?state=open");
    expect(text).toMatch(/<h3>2 checks with the same error<\/h3><p class="error">connect ECONNREFUSED/);
    expect(text).toContain("Alerts of one check");
    for (const one of others) await plane.run(one, { statusCode: 200 });
    expect((await owner.get("/alerts")).text).toContain(">One</a>");
    expect((await owner.get("/alerts?state=open")).text).not.toContain(">One</a>");
    expect((await owner.get("/alerts?state=closed")).text).toContain("Recovered");
  });

  it("tell what was only degraded from what was down, also to readers of the status page", async () => {
    const slow = await plane.make({ name: "Slow" });
    await plane.run(slow, { isDegraded: true });
    const address = pathOf((await owner.get(`/alerts?check=${slow}`)).text);
    const open = (await owner.get(address)).text;
    expect(open).toContain("name=Problems+with+Slow");
    expect(open).not.toContain("degraded, never failing");
    expect((await owner.get(path)).text).toContain("+is+unavailable");
    await plane.run(slow, { statusCode: 200 });
    for (const page of [address, `/alerts?check=${slow}`]) expect((await owner.get(page)).text).toContain("degraded, never failing");
    const [one] = (await plane.call("GET", "/v1/checks?limit=100")).body.filter(({ name }: { name: string }) => name === "One");
    const failed = (await owner.get(`/alerts?check=${one.id}`)).text;
    expect(failed).toContain("Recovered");
    expect(failed).not.toContain("degraded, never failing");
  });

  it("let people acknowledge, which stops reminders, and take it back", async () => {
    await owner.get(path);
    const answer = await owner.post(`${path}/acknowledge`);
    expect(answer.location).toBe(`${path}?done=acknowledged`);
    const { text } = await owner.get(answer.location ?? "");
    expect(text).toContain("Acknowledged. Reminders are paused.");
    expect(text).toContain(`Acknowledged by ${ada.name} until`);
    expect((await owner.get("/alerts?state=acknowledged")).text).toContain(`href="${path}"`);
    expect((await owner.get("/alerts?state=snoozed")).text).toContain("No alerts match.");
    await owner.post(`${path}/unacknowledge`);
    expect((await owner.get("/alerts?state=acknowledged")).text).toContain("No alerts match.");
    const named = await operations();
    for (const name of ["acknowledgeEpisode", "unacknowledgeEpisode"]) expect(named).toContain(name);
    expect((await owner.get("/audit?operation=acknowledgeEpisode")).text).toContain(ada.name);
  });

  it("let people snooze it until a time, and refuse one that is none", async () => {
    await owner.get(path);
    expect((await owner.post(`${path}/snooze`, { for: "tomorrow" })).location).toBe(`${path}?done=snoozed`);
    expect((await owner.get("/alerts?state=snoozed")).text).toContain(`Snoozed by ${ada.name} until`);
    await owner.post(`${path}/unsnooze`);
    for (const until of ["2001-01-01T00:00", "soon", ""]) {
      const { status, text } = await owner.post(`${path}/snooze`, { for: "given", until });
      expect([until, status, text.includes("Enter a time in the future")]).toEqual([until, 400, true]);
    }
    await owner.post(`${path}/snooze`, { for: "given", until: "2099-01-01T00:00" });
    expect((await owner.get(path)).text).toContain("End snooze");
    await owner.post(`${path}/unsnooze`);
  });

  it("let people assign it to a person of the account, comment, and say so in the timeline", async () => {
    const { text } = await owner.get(path);
    const bob = /<option value="([0-9a-f-]{36})">bob<\/option>/.exec(text)?.[1] ?? "";
    expect((await owner.post(`${path}/assign`, { assignee: bob })).location).toBe(`${path}?done=assigned`);
    expect((await owner.post(`${path}/assign`, { assignee: crypto.randomUUID() })).status).toBe(400);
    expect((await owner.post(`${path}/comment`, { comment: " " })).status).toBe(400);
    await owner.post(`${path}/comment`, { comment: `the disk is full ${evil}` });
    const page = (await owner.get(path)).text;
    expect(page).toContain("Assigned to bob");
    expect(page).toContain("Assigned by Ada");
    expect(page).toContain("the disk is full &lt;img");
    expect(activeParts(page)).toEqual([]);
  });

  it("open an incident with what is known, and keep the way to it", async () => {
    const service = made(await plane.call("POST", "/v1/status-pages/services", { body: { name: "Web shop" } }));
    const address = /href="(\/incidents\/new\?[^"]+)"/.exec((await owner.get(path)).text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const form = (await owner.get(address)).text;
    expect(form).toContain("We are investigating a problem with Shop");
    const episode = /name="episode" value="([^"]+)"/.exec(form)?.[1] ?? "";
    expect(path.endsWith(episode)).toBe(true);
    const sent = { name: "Shop is down", severity: "MAJOR", status: "INVESTIGATING", services: service, episode };
    const { location } = await owner.post("/incidents", { ...sent, "incidentUpdates[0].description": "We look." });
    const id = /\/incidents\/([^?]+)/.exec(location ?? "")?.[1] ?? "none";
    expect((await owner.get(path)).text).toContain(`href="/incidents/${id}"`);
  });

  it("are another account's as little as if they were not there", async () => {
    const other = await stranger(plane);
    expect((await other.get("/alerts")).text).not.toContain("Search");
    expect((await other.get(path)).status).toBe(404);
    await other.get("/alerts");
    for (const act of ["acknowledge", "snooze", "assign", "comment"]) expect((await other.post(`${path}/${act}`)).status).toBe(404);
    expect((await owner.get("/alerts/episodes/nonsense")).status).toBe(404);
    expect((await owner.post(`${path}/acknowledge`, { csrf: "forged" })).status).toBe(403);
  });

  it("are answered from a mail: looking does nothing, the button does, and the channel is named", async () => {
    const link = linkIn("Search has failed");
    const mailed = browser(plane.base);
    const seen = await mailed.get(link);
    expect([seen.status, activeParts(seen.text)]).toEqual([200, []]);
    expect(seen.text).toContain("status 503 is not 200");
    expect((await owner.get("/alerts?state=acknowledged")).text).toContain("No alerts match.");
    const done = await mailed.post(link, { act: "acknowledge" });
    expect(done.location).toBe(`${link}?done=acknowledged`);
    expect((await mailed.get(done.location ?? "")).text).toContain("Acknowledged by link sent to ops@example.com until");
    expect((await owner.get("/alerts?state=acknowledged")).text).toContain("Search");
    expect(await operations()).toContain("acknowledgeEpisodeByLink");
    const audit = (await owner.get("/audit?operation=acknowledgeEpisodeByLink")).text;
    expect(audit).toContain("Link in an alert");
    expect(audit).not.toContain(link);
    await mailed.post(link, { act: "4h" });
    expect((await mailed.get(link)).text).toContain("Acknowledged by");
    expect((await mailed.post(link, { act: "delete" })).status).toBe(200);
  });

  it("are not answered by a link that we did not make, that is too old, or for another episode", async () => {
    const link = linkIn("Search has failed");
    const mailed = browser(plane.base);
    const [account = "", episode = "", ...rest] = link.slice("/alerts/respond/".length).split(".");
    const { hashOf, nowMs } = plane.context;
    const old = episodeLink(
      { hashOf, publicUrl: () => plane.base },
      { accountId: Number(account), episodeId: Number(episode), channelId: channel, expiresAtMs: nowMs() - 1_000 },
    ).slice(plane.base.length);
    const forged = `/alerts/respond/${[account, String(Number(episode) - 1), ...rest].join(".")}`;
    for (const one of [old, forged, `${link}0`, link.replace(/.$/, (last) => (last === "0" ? "1" : "0")), "/alerts/respond/x"]) {
      expect([(await mailed.get(one)).status, (await mailed.post(one, { act: "acknowledge" })).status]).toEqual([404, 404]);
    }
  });

  it("say that it is over where a link comes late, and where a form does", async () => {
    const link = linkIn("Search has failed");
    await owner.get("/alerts");
    const page = pathOf((await owner.get(`/alerts?check=${search}`)).text);
    await plane.run(search, { statusCode: 200 });
    const mailed = browser(plane.base);
    expect((await mailed.get(link)).text).toContain("Nothing is left to do.");
    expect((await mailed.post(link, { act: "acknowledge" })).location).toBe(`${link}?done=over`);
    expect((await owner.post(`${page}/acknowledge`)).location).toBe(`${page}?done=over`);
    expect((await owner.get(page)).text).toContain("Recovered");
    await eventually(async () => mails().some(({ headers }) => String(headers["subject"]).includes("Search has recovered")));
    expect(linkIn("Search has recovered")).toBe("no link");
  });
});
