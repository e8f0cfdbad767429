import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Receiver, receiver } from "../alerting/channels/receiver.ts";
import { type AlertingSite, alertingSite, made } from "../alerting-site.ts";
import { eventually } from "../control-plane-under-test.ts";
import { type Browser, browser } from "./browser.ts";
import { activeParts, evil, keyHolder, stranger } from "./key-holder.ts";

describe("the pages of alerts", () => {
  let plane: AlertingSite;
  let hook: Receiver;
  let here: Browser;
  let shop: string;
  let search: string;
  let channel: string;
  /** Two checks fail, the first recovers; its channel refuses the first message. */
  beforeAll(async () => {
    plane = await alertingSite();
    hook = await receiver((response) => {
      const isFirst = hook.received.length === 1;
      response.writeHead(isFirst ? 403 : 200).end(isFirst ? `go away ${evil}` : "ok");
    });
    const body = { type: "SLACK", config: { channel: `#${evil}`, url: `${hook.url}/hook-key` }, autoSubscribe: true };
    channel = made(await plane.call("POST", "/v1/alert-channels", { body }));
    shop = await plane.make({ name: `Shop ${evil}` });
    search = await plane.make({ name: "Search" });
    const sent = (count: number) => eventually(async () => (await plane.call("GET", "/v1/alert-notifications")).body.length === count);
    await plane.run(shop, { hasFailures: true, errorMessage: `no ${evil}` });
    await sent(1);
    await plane.run(search, { hasFailures: true, errorMessage: "it is down" });
    await sent(2);
    await plane.skip(1);
    await plane.run(shop, { statusCode: 200 });
    await sent(3);
    here = await keyHolder(plane, await plane.keyFor("READ_ONLY"));
  }, 120_000);
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    await hook[Symbol.asyncDispose]();
  });
  const words = (text: string): readonly string[] => [...text.matchAll(/<\/svg>([^<]+)<\/span><p><time/g)].map(([, word]) => word ?? "");

  it("show what was told of which check, with its run, and what became of it at each channel", async () => {
    const { status, text } = await here.get("/alerts/log");
    expect(status).toBe(200);
    expect(words(text)).toEqual(["Recovered", "Failing", "Failing"]);
    expect(text).toMatch(new RegExp(`/checks/${shop}/results/[0-9a-f-]{36}`));
    expect(text).toContain("it is down");
    expect(text.match(/Failed<\/span>/g)).toHaveLength(1);
    expect(text.match(/Delivered<\/span> <a href="\/alerts\/sent\?channel=/g)).toHaveLength(2);
    expect(text).toContain("403");
    expect(text).toContain(" UTC</time>");
    const run = /\/checks\/[^"]+\/results\/[^"]+/.exec(text)?.[0] ?? "";
    expect((await here.get(run)).status).toBe(200);
  });

  it("are where the link in a message leads, after signing in", async () => {
    const [, message] = hook.received;
    const link = /<(http[^|>]+)\|/.exec(message?.body ?? "")?.[1] ?? "";
    expect(link).toMatch(new RegExp(`^${plane.base}/checks/${search}/results/[0-9a-f-]{36}$`));
    const path = link.slice(plane.base.length);
    const before = await browser(plane.base).get(path);
    expect([before.status, before.location]).toEqual([303, `/sign-in?to=${encodeURIComponent(path)}`]);
    expect((await here.get(path)).text).toContain("it is down");
  });

  it("are where links in answers of the REST API lead, too", async () => {
    const started = await plane.call("POST", "/v2/check-sessions/trigger", { body: { target: { checkId: [search] } } });
    const session = new URL(started.body.sessions[0].checkSessionLink).pathname;
    expect((await here.get(session)).location).toBe(`/checks/${search}`);
    // The agent takes the run that waits longest.
    await plane.run(search, { hasFailures: true, errorMessage: "it is down" });
    const run = (await here.get(session)).location ?? "";
    expect(run).toMatch(new RegExp(`^/checks/${search}/results/[0-9a-f-]{36}$`));
    expect((await here.get(run)).status).toBe(200);
    expect((await here.get(run.replace("results", "check-results"))).location).toBe(run);
    expect((await (await stranger(plane)).get(session)).status).toBe(404);
  });

  it.each([
    ["failures", ["Failing", "Failing"]],
    ["recoveries", ["Recovered"]],
    ["degradations", []],
    ["certificates", []],
    ["constructor", ["Recovered", "Failing", "Failing"]],
  ])("show %s alone", async (kind, expected) => {
    expect(words((await here.get(`/alerts/log?kind=${kind}`)).text)).toEqual(expected);
  });

  it("show those of one check, also from the check's own page", async () => {
    expect((await here.get(`/checks/${search}`)).text).toContain(`href="/alerts?check=${search}"`);
    const { text } = await here.get(`/alerts/log?check=${search}&kind=failures`);
    expect(words(text)).toEqual(["Failing"]);
    expect(text).toContain(`Only <a href="/checks/${search}">Search</a>`);
    expect((await here.get(`/alerts/log?check=${crypto.randomUUID()}`)).status).toBe(404);
  });

  it("show every message with the service's answer, by channel and by what did not arrive", async () => {
    const { text } = await here.get(`/alerts/sent?channel=${channel}`);
    expect(words(text)).toEqual(["Delivered", "Delivered", "Failed"]);
    expect(text).toContain(`for <a href="/checks/${search}">Search</a>`);
    expect([...text.matchAll(/<span>(Failing|Recovered)<\/span>/g)].map(([, said]) => said)).toEqual(["Recovered", "Failing", "Failing"]);
    expect(text).toContain("HTTP 200");
    expect(words((await here.get("/alerts/sent?failed=true")).text)).toEqual(["Failed"]);
    expect(words((await here.get(`/alerts/sent?channel=${Number(channel) + 1}`)).text)).toEqual([]);
    expect(words((await here.get("/alerts/sent?channel=x&page=-1")).text)).toHaveLength(3);
    expect((await here.get("/alerts/log?page=7")).text).toContain("This page is empty.");
  });

  it("keep names, errors and answers as text, and the channel's address to themselves", async () => {
    for (const path of ["/alerts", "/alerts/log", `/alerts/log?check=${shop}`, `/alerts?check=${shop}`, "/alerts/sent"]) {
      const { text } = await here.get(path);
      expect([path, activeParts(text), text.includes("hook-key")]).toEqual([path, [], false]);
      expect(text).toContain("&lt;img src=x onerror=alert(1)&gt;");
    }
  });

  it("show nothing of another account", async () => {
    const other = await stranger(plane);
    for (const path of ["/alerts", "/alerts/log", "/alerts/sent", `/alerts/sent?channel=${channel}`]) {
      const { text } = await other.get(path);
      expect([path, words(text), text.includes("Search")]).toEqual([path, [], false]);
    }
    expect((await other.get(`/alerts/log?check=${search}`)).status).toBe(404);
  });

  it("stand on REST: alerts by type, and what was sent of an alert", async () => {
    const { body } = await plane.call("GET", "/v1/check-alerts?alertType=ALERT_RECOVERY,ALERT_DEGRADED");
    expect(body.map(({ alertType }: { alertType: string }) => alertType)).toEqual(["ALERT_RECOVERY"]);
    const sent = (ids: string) => plane.call("GET", `/v1/alert-notifications?checkAlertId=${ids}`);
    expect((await sent(body[0].id)).body.map(({ checkAlertId }: { checkAlertId: string }) => checkAlertId)).toEqual([body[0].id]);
    expect((await sent("nonsense")).body).toEqual([]);
    expect((await sent("")).status).toBe(400);
    expect((await plane.call("GET", "/v1/check-alerts?alertType=LOUD")).status).toBe(400);
  });

  it("list what a channel gave up, and send it again for those who may write", async () => {
    const { text } = await here.get("/alerts/given-up");
    expect(text).toContain("1 attempt since");
    expect(text).toContain("403");
    expect(text).not.toContain("Send again");
    expect(activeParts(text)).toEqual(activeParts((await here.get("/alerts/log")).text));
    const writer = await keyHolder(plane, await plane.keyFor("READ_WRITE"));
    expect((await writer.get("/alerts/given-up")).text).toContain("Resend to");
    expect((await writer.post("/alerts/given-up", { channel })).status).toBe(303);
    expect((await writer.get("/alerts/given-up")).text).toContain('<p class="box">No delivery failed.</p>');
    await eventually(async () => hook.received.length === 4);
  });

  it("tell how many alerts had no channel, where no delivery failed", async () => {
    await using site = await alertingSite();
    const alone = await site.make({ name: "Alone" });
    await site.run(alone, { hasFailures: true, errorMessage: "it is down" });
    await eventually(async () => (await site.call("GET", "/v1/check-alerts")).body.length === 1);
    const { text } = await (await keyHolder(site, await site.keyFor("READ_ONLY"))).get("/alerts/given-up");
    expect(text).toContain("No delivery failed. The latest alert had no channel, so nobody was told.");
    expect(text).toContain('<a href="/channels">Alert channels</a>');
  });
});
