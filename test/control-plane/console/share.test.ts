import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import { type Browser, browser } from "./browser.ts";
import { firstOwner, joined } from "./people.ts";

describe("a run that is shared by a link", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let path: string;
  beforeEach(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), { checkTypes: ["API"] });
    const checkId = (await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name: "Cart" }) })).body.id;
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
    const [job] = await agent.lease(1, 5);
    await agent.report(reportOf(job!, { hasFailures: true, errorMessage: "expected 200, got 503" }));
    path = `/checks/${checkId}/results/${(await plane.call("GET", `/v2/check-results/${checkId}?limit=1`)).body.entries[0].id}`;
  });
  afterEach(() => plane[Symbol.asyncDispose]());

  async function share(lasts: string): Promise<string> {
    await owner.get(path);
    const { text } = await owner.post(`${path}/share`, { lasts });
    const [, link = ""] = /<input id="link" value="([^"]+)"/.exec(text) ?? [];
    return link;
  }

  it("shows strangers the run without the console, until it expires, and stands in the audit log", async () => {
    const link = await share("7d");
    expect(link.startsWith(`${plane.base}/shared/runs/`)).toBe(true);
    const stranger = browser(plane.base);
    const shown = await stranger.get(new URL(link).pathname);
    expect(shown.status).toBe(200);
    expect(shown.text).toContain("expected 200, got 503");
    expect(shown.text).toContain("Cart");
    expect(shown.text).not.toMatch(/<nav aria-label="Pages"|href="\/checks|csrf/);
    expect([shown.headers.get("x-robots-tag"), shown.headers.get("referrer-policy")]).toEqual(["noindex", "no-referrer"]);
    expect((await owner.get("/audit")).text).toContain('title="shareCheckResult"');
    plane.advance(7 * 86_400_000 + 1_000);
    const late = await stranger.get(new URL(link).pathname);
    expect([late.status, late.text.includes("This link has expired"), late.text.includes("503")]).toEqual([404, true, false]);
  });

  it("is nothing that somebody can make or change by himself", async () => {
    const token = new URL(await share("1d")).pathname.split("/").at(-1) ?? "";
    const [text = "", signature = ""] = token.split(".");
    const later = Buffer.from(
      Buffer.from(text, "base64url")
        .toString()
        .replace(/"untilMs":\d+/, '"untilMs":9999999999999'),
    ).toString("base64url");
    const stranger = browser(plane.base);
    for (const bad of [`${later}.${signature}`, text, `${text}.`, `.${signature}`, "x.y", "%00", `${text}.${signature.slice(1)}a`])
      expect([bad, (await stranger.get(`/shared/runs/${bad}`)).status >= 400]).toEqual([bad, true]);
    expect((await stranger.get(`/shared/runs/${token}/files/..%2f..%2fsecret`)).status).toBe(404);
    expect((await stranger.get(`/shared/runs/${token}`)).status).toBe(200);
  });

  it("is over with its check", async () => {
    const { pathname } = new URL(await share("30d"));
    await plane.call("DELETE", `/v1/checks/${path.split("/")[2]}`);
    expect((await browser(plane.base).get(pathname)).status).toBe(404);
  });

  it("is made by whoever may write, and by nobody else", async () => {
    const reader = await joined(plane, owner, "reader@example.com", "READ_RUN");
    expect((await reader.get(path)).text).not.toContain(`${path}/share`);
    expect((await reader.post(`${path}/share`, { lasts: "1d" })).status).toBe(403);
  });
});
