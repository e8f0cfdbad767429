import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { evidenceText } from "../../../src/control-plane/console/causes/cause-part.ts";
import { type AlertingSite, alertingSite, down } from "../alerting-site.ts";
import { eventually } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { activeParts, evil, keyHolder } from "./key-holder.ts";
import { firstOwner } from "./people.ts";

describe("a piece of evidence", () => {
  it.each([
    ["bad url fails at Ireland", "bad url fails at Ireland"],
    ["zoe@example.com changed the check", "zoe@example.com changed the check"],
    ["connect ECONNREFUSED 127.0.0.1:9", "connect ECONNREFUSED 127.0.0.1:9"],
    ["the last good run got an answer", "The last good run got an answer"],
    ["took 9 s", "Took 9 s"],
  ])("begins with a capital only where the words are ours: %s", (says, text) => {
    expect(evidenceText(says)).toBe(text);
  });
});

describe("likely causes on pages", { timeout: 120_000 }, () => {
  let plane: AlertingSite;
  let owner: Browser;
  let reader: Browser;
  let shop: string;
  beforeAll(async () => {
    plane = await alertingSite();
    owner = await firstOwner(plane);
    reader = await keyHolder(plane, await plane.keyFor("READ_ONLY"));
    shop = await plane.make({ name: `Shop ${evil}`, request: { method: "GET", url: "https://shop.example/" } });
    await plane.run(shop);
    await plane.run(shop, { ...down, errorMessage: `ECONNREFUSED: no ${evil}`, hasErrors: true, statusCode: null });
  }, 120_000);
  afterAll(() => plane[Symbol.asyncDispose]());
  const cause = "Nothing listens at";
  const likely = (text: string): string => /<section class="likely"[\s\S]*?<\/section>/.exec(text)?.[0] ?? "";
  const episodeOf = async (check: string) =>
    /href="(\/alerts\/episodes\/[0-9a-f-]{36})"/.exec((await owner.get(`/alerts?check=${check}`)).text)?.[1] ?? "none";

  it("are there without anybody asking once an alert has opened, with links to the evidence", async () => {
    const part = await eventually(async () => {
      const text = likely((await owner.get(`/checks/${shop}`)).text);
      return text.includes(cause) && text;
    });
    expect(part).toContain("High confidence");
    expect(part).toMatch(new RegExp(`<a href="/checks/${shop}/results/[0-9a-f-]{36}">ECONNREFUSED: no`));
    expect(activeParts(part)).toEqual([]);
    const [, link = ""] = /<a href="(\/checks\/[^"]+\/results\/[^"]+)"/.exec(part) ?? [];
    expect((await owner.get(link)).status).toBe(200);
    expect(likely((await owner.get(await episodeOf(shop))).text)).toContain(cause);
  });

  it("are shown to readers without a button, and looked for again by those who may", async () => {
    const seen = likely((await reader.get(`/checks/${shop}`)).text);
    expect([seen.includes(cause), seen.includes("<button"), seen.includes("/audit"), seen.includes("/alerts/causes")]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    const [group] = (await plane.call("GET", `/v1/error-groups/checks/${shop}`)).body;
    expect((await reader.post("/alerts/causes/ask", { group: group.id, to: `/checks/${shop}` })).status).toBe(403);
    await owner.get(`/checks/${shop}`);
    const asked = await owner.post("/alerts/causes/ask", { group: group.id, to: `/checks/${shop}` });
    expect(asked.location).toBe(`/checks/${shop}#likely-cause`);
    await owner.get(`/checks/${shop}`);
    expect((await owner.post("/alerts/causes/ask", { group: group.id, to: "https://evil.example/" })).location).toBe("/alerts");
    await eventually(async () => likely((await owner.get(`/checks/${shop}`)).text).includes(cause));
    const { rootCauseAnalyses } = (await plane.call("GET", `/v1/error-groups/${group.id}`)).body;
    expect(rootCauseAnalyses.length).toBeGreaterThan(1);
    expect(rootCauseAnalyses[0]).toMatchObject({ provider: "outpost", model: "rules", analysis: { classification: "refused" } });
  });

  it("are there for a check that is degraded, too, on its page and on its alert's", async () => {
    const slow = await plane.make({ name: "Slow" });
    await plane.run(slow, { responseTimeMs: 40 });
    await plane.run(slow, { isDegraded: true, responseTimeMs: 9_000 });
    const part = await eventually(async () => {
      const text = likely((await owner.get(`/checks/${slow}`)).text);
      return text.includes("where good runs took") && text;
    });
    expect(part).toContain(`name="check" value="${slow}"`);
    expect(likely((await owner.get(await episodeOf(slow))).text)).toContain("where good runs took");
    expect((await owner.post("/alerts/causes/ask", { check: slow, to: `/checks/${slow}` })).location).toBe(`/checks/${slow}#likely-cause`);
    await plane.run(slow);
  });

  it("are on the page of the incident that was opened for the alert", async () => {
    const service = (await plane.call("POST", "/v1/status-pages/services", { body: { name: "Checkout" } })).body.id;
    const episode = await episodeOf(shop);
    await owner.get(episode);
    const sent = { name: "Shop is down", severity: "MAJOR", services: service, episode: episode.split("/").at(-1) ?? "" };
    const { location } = await owner.post("/incidents", { ...sent, "incidentUpdates[0].description": "We look.", status: "INVESTIGATING" });
    expect(likely((await owner.get(location ?? "")).text)).toContain(cause);
  });

  it("are not looked for by themselves where the account does not want that, and the page offers to", async () => {
    expect((await reader.get("/alerts/causes")).status).toBe(403);
    const settings = await owner.get("/alerts/causes");
    expect(settings.text).toContain("has not set up a model");
    expect((await owner.post("/alerts/causes", { rootCauses: "asked" })).location).toBe("/alerts/causes?done=saved");
    expect((await plane.call("GET", "/v1/accounts/me")).body.settings).toMatchObject({ rootCauses: "asked", rootCauseModel: "off" });
    expect((await owner.post("/alerts/causes", { rootCauses: "asked", agenticModel: "off" })).location).toBe("/alerts/causes?done=saved");
    expect((await plane.call("GET", "/v1/accounts/me")).body.settings).toMatchObject({ agenticModel: "off" });
    expect((await owner.post("/alerts/causes", { rootCauses: "never" })).status).toBe(400);
    const other = await plane.make({ name: "Other" });
    await plane.run(other, down);
    await eventually(async () => (await plane.context.storage.analyses.unaskedEpisodes(Date.now(), 10)).length === 0);
    const part = likely((await owner.get(`/checks/${other}`)).text);
    expect(part).toContain("Nobody has looked for the cause yet.");
    expect(part).toContain("Find the cause");
  });

  it("are not told of checks that pass", async () => {
    await plane.run(shop);
    expect(likely((await owner.get(`/checks/${shop}`)).text)).toBe("");
  });
});
