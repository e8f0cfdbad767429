import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scriptAddress } from "../../../src/control-plane/pages/browser-scripts.ts";
import { mailServer } from "../alerting/channels/mail-server.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { get, postForm } from "./get.ts";

describe("names that lead to a page of their own", { timeout: 120_000 }, () => {
  const own = { host: "outpost.example.com" };
  const home = { host: "status.example.com" };
  const wall = { host: "Wall.example.com:8443" };
  const browser = { accept: "text/html" };
  let plane: ControlPlaneUnderTest;
  let mail: Awaited<ReturnType<typeof mailServer>>;
  beforeAll(async () => {
    mail = await mailServer();
    plane = await controlPlaneUnderTest({
      PUBLIC_URL: "https://outpost.example.com",
      PAGE_DOMAINS: "trusted",
      SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      SMTP_FROM: "outpost@example.com",
    });
    await plane.call("POST", "/v1/status-pages", { body: { name: "Shop", url: "shop", customDomain: home.host, cards: [] } });
    await plane.call("POST", "/v1/status-pages", { body: { name: "Evil", url: "evil", cards: [] } });
    const dashboard = { header: "Wall", customUrl: "wall", customDomain: "wall.example.com", customCSS: ".card { color: red }" };
    await plane.call("POST", "/v1/dashboards", { body: dashboard });
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    await mail[Symbol.asyncDispose]();
  });
  const statusOf = async (path: string, headers: Readonly<Record<string, string>>): Promise<number> =>
    (await get(plane.base, path, headers)).status;

  it.each([
    "/sign-in",
    "/checks",
    "/set-up",
    "/forgotten-password",
    "/live/checks",
    "/docs",
    "/openapi.json",
    "/nothing",
    "/status/shop",
    "/status/evil",
    "/dashboards/wall",
    "/%2e%2e/sign-in",
    "/sign-in/",
  ])("have nothing at %s, which people see in the look of pages", async (path) => {
    for (const host of [home, wall]) {
      const { status, text, headers } = await get(plane.base, path, { ...host, ...browser, authorization: `Bearer ${plane.ownerKey}` });
      expect([status, text.includes("Outpost"), headers.getSetCookie()]).toEqual([404, false, []]);
      expect([headers.get("content-type"), headers.get("cache-control")]).toEqual(["text/html; charset=utf-8", "private, no-store"]);
    }
  });

  it("take no form of the console", async () => {
    const form = await postForm(plane.base, "/sign-in", { key: plane.ownerKey }, home);
    expect([form.status, JSON.parse(form.text).message]).toEqual([404, "There is no POST /sign-in"]);
  });

  it("have all that belongs to the page, and what programs ask: nobody takes that away from them by claiming a name", async () => {
    const check = (await plane.call("POST", "/v1/checks/heartbeat", { body: heartbeat })).body;
    const ping = new URL(check.heartbeat.pingUrl).pathname;
    const front = (await get(plane.base, "/", home)).text;
    expect(front).toContain("<h1>Shop</h1>");
    const wallFront = (await get(plane.base, "/", wall)).text;
    const sheet = /<link rel="stylesheet" href="([^"]+)">/.exec(wallFront)?.[1] ?? "";
    const served = [
      "/status/~",
      "/status/~/feed.rss",
      "/status/~/feed.json",
      `/v1/badges/checks/${check.id}`,
      "/health",
      ping,
      scriptAddress("times"),
    ];
    for (const path of served) expect([path, await statusOf(path, home)]).toEqual([path, 200]);
    expect([await statusOf(sheet, wall), await statusOf("/-/liveness", wall), await statusOf("/-/readiness", wall)]).toEqual([
      200, 200, 200,
    ]);
    const wish = await postForm(plane.base, "/status/~/subscribe", { address: "ann@example.com" }, home);
    expect([wish.status, wish.text.includes("Check your mail")]).toEqual([200, true]);
    expect((await get(plane.base, "/subscriptions/x/confirm", home)).text).toContain("<h1>");
    const rest = await get(plane.base, "/v1/checks?limit=1", { ...wall, authorization: `Bearer ${plane.ownerKey}` });
    expect(rest.status).toBe(200);
    const agent = await postForm(plane.base, "/agent/v1/sessions", {}, home);
    expect(agent.status).toBe(401);
  });

  it("lead to no other host, whatever the request begins with", async () => {
    const from = "http://evil.example:81";
    const front = await get(plane.base, `${from}/?page=1`, wall);
    expect([front.status, front.headers.get("refresh")]).toEqual([200, "60; url=/"]);
    expect((await get(plane.base, `${from}?key=x`, wall)).headers.get("location")).toBe("/");
    expect((await get(plane.base, `${from}/checks?q=a`, own)).headers.get("location")).toBe("/sign-in?to=%2Fchecks%3Fq%3Da");
  });

  it("are open again where no page has them any more, and the control plane's own always is", async () => {
    const free = { host: "free.example.com" };
    const { body } = await plane.call("POST", "/v1/status-pages", { body: { name: "F", url: "free", customDomain: free.host, cards: [] } });
    expect([await statusOf("/sign-in", free), await statusOf("/sign-in", own)]).toEqual([404, 200]);
    await plane.call("DELETE", `/v1/status-pages/${body.id}`);
    plane.advance(10_000);
    expect([await statusOf("/sign-in", free), await statusOf("/status/evil", free)]).toEqual([200, 200]);
  });
});

const heartbeat = {
  name: "Backup",
  activated: true,
  heartbeat: { period: 1, periodUnit: "hours", grace: 10, graceUnit: "minutes" },
};
