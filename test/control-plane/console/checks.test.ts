import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withoutOurScripts } from "../../support/our-scripts.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";
import type { Browser } from "./browser.ts";
import { evil } from "./key-holder.ts";
import { firstOwner, joined } from "./people.ts";

describe("pages of checks", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  let agent: FakeAgent;
  beforeEach(async () => {
    plane = await controlPlaneUnderTest();
    owner = await firstOwner(plane);
    agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), {
      checkTypes: ["API", "TCP", "DNS", "ICMP", "SSL", "URL"],
    });
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });

  const make = async (changes: object = {}): Promise<string> =>
    (await plane.call("POST", "/v1/checks/api", { body: apiCheck(changes) })).body.id;
  async function run(checkId: string, changes: object = {}): Promise<void> {
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
    const [job] = await agent.lease(1, 5);
    const [answer] = await agent.report(reportOf(job!, changes));
    expect(answer).toMatchObject({ outcome: "accepted" });
  }
  const down = { hasFailures: true, errorMessage: "expected status 200, got 503" };
  const names = (text: string): readonly string[] =>
    [...text.matchAll(/class="which"><a href="[^"]+">([^<]*)<\/a>/g)].map(([, name]) => name ?? "");
  const counted = (text: string): readonly string[] =>
    [...text.matchAll(/<strong>([\d,]+)<\/strong> <span class="state \w+">.*?<\/svg>([^<]+)</g)].map(
      ([, count, state]) => `${count} ${state}`,
    );

  it("show what fails first, with a count of each state that leads to it", async () => {
    const failing = await make({ name: "Zebra", tags: ["shop"] });
    await run(failing, down);
    const passing = await make({ name: "Ant" });
    await run(passing);
    await make({ name: "Bee" });
    await make({ name: "Cat", activated: false });
    const { text, status } = await owner.get("/checks");
    expect(status).toBe(200);
    expect(names(text)).toEqual(["Zebra", "Bee", "Ant", "Cat"]);
    expect(counted(text)).toEqual(["1 Failing", "1 No data", "1 Passing", "1 Paused"]);
    expect(text).toContain("<title>(1) Checks · Outpost</title>");
    expect(text).toContain('<link rel="icon" href="data:image/svg+xml,');
    expect(names((await owner.get("/checks?state=failing")).text)).toEqual(["Zebra"]);
    expect(names((await owner.get("/checks?tag=shop")).text)).toEqual(["Zebra"]);
    expect(names((await owner.get("/checks?q=AN")).text)).toEqual(["Ant"]);
    expect(names((await owner.get("/checks?type=TCP")).text)).toEqual([]);
    expect((await owner.get("/checks?type=TCP")).text).toContain("No checks match");
  });

  it("are paged where there are many, by group and name", async () => {
    const inGroup = async (name: string) => ({ groupId: (await plane.call("POST", "/v1/check-groups", { body: { name } })).body.id });
    const [zoo, ant] = [await inGroup("Zoo"), await inGroup("Ant")];
    for (let n = 0; n < 51; n++) await make({ name: `Check ${n}`, ...(n < 2 ? zoo : n === 50 ? ant : {}) });
    const first = await owner.get("/checks");
    const order = [50, ...Array.from({ length: 50 }, (_, n) => n)].map((n) => `Check ${n}`);
    expect(names(first.text)).toEqual(order.slice(0, 50));
    expect(first.text).toContain("Page 1 of 2, 51 checks");
    expect(names((await owner.get("/checks?page=2")).text)).toEqual(["Check 49"]);
    expect(names((await owner.get("/checks?page=99")).text)).toEqual(["Check 49"]);
  });

  it("call types by their names, and tell a list's times without seconds, with the zone once in its head", async () => {
    const { body } = await plane.call("POST", "/v1/checks/multistep", {
      body: { name: "Journey", script: "1", runtimeId: "2026.04", locations: ["eu-west-1"] },
    });
    for (const path of ["/checks", `/checks/${body.id}`]) {
      const { text } = await owner.get(path);
      expect(text).toContain("<span>Multistep</span>");
      expect(text).not.toMatch(/>MULTI_STEP</);
    }
    const id = await make();
    await run(id);
    const { text } = await owner.get(`/checks/${id}`);
    expect(text).toContain('<th scope="col">Started (<span data-zone>UTC</span>)</th>');
    expect(text).toMatch(
      /<tr data-id="[^"]+"><td><a href="[^"]+"><time datetime="[^"]+" data-shows="row-second">\d+ \w+ \d{4}, \d\d:\d\d:\d\d<\/time>/,
    );
  });

  it("show what went wrong with a run that is only degraded, and not in red", async () => {
    const id = await make();
    await run(id, { isDegraded: true, errorMessage: "slower than 1 s" });
    const [, address = ""] = /<td><a href="(\/checks\/[^"]+\/results\/[^"]+)">/.exec((await owner.get(`/checks/${id}`)).text) ?? [];
    expect((await owner.get(address)).text).toContain('<p class="box warn">slower than 1 s</p>');
  });

  it("fail for as long as the newest run of any location does, and say where, why and since when in the list", async () => {
    const id = await make({ locations: ["eu-west-1", "us-east-1"] });
    const other = await FakeAgent.open(plane.base, await plane.locationKey("us-east-1"), { checkTypes: ["API"] });
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    await agent.report(reportOf((await agent.lease(1, 5))[0]!, { ...down, errorMessage: `503 ${evil}` }));
    await other.report(reportOf((await other.lease(1, 5))[0]!));
    const { name } = (await plane.context.storage.locations.byCodes(plane.account.id, ["eu-west-1"]))[0]!;
    for (const path of ["/checks", `/checks/${id}`]) {
      const { text } = await owner.get(path);
      expect(text).toContain(`Failing at ${name} (1 of 2)`);
      const cause = /<p class="cause bad">[^]*?<\/p>/.exec(text)?.[0] ?? "";
      expect(cause).toMatch(/^<p class="cause bad"><span class="error">503 [^<]+<\/span><span>since <time /);
      const [, run = ""] = /<a href="(\/checks\/[^"]+\/results\/[^"]+)">View run<\/a>/.exec(cause) ?? [];
      expect((await owner.get(run)).text).toContain('<p class="box bad">503 ');
    }
    expect((await plane.call("GET", "/v1/check-statuses")).body).toEqual([
      expect.objectContaining({ name: "Front page", hasFailures: true }),
    ]);
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    await agent.report(reportOf((await agent.lease(1, 5))[0]!));
    const { text } = await owner.get(`/checks/${id}`);
    expect(text).not.toContain("Failing at");
    expect(text).toContain('<div id="cause"></div>');
  });

  it("are deactivated, muted and deleted from their page, each undone by the button in its place", async () => {
    const id = await make({ tags: ["shop"] });
    const read = async () => (await plane.call("GET", `/v1/checks/${id}`)).body;
    const before = await read();
    for (const [to, back, changed] of [
      ["deactivate", "activate", { activated: false }],
      ["mute", "unmute", { muted: true }],
    ] as const) {
      expect((await owner.get(`/checks/${id}`)).text).toContain(`action="/checks/${id}/${to}"`);
      const { location } = await owner.post(`/checks/${id}/${to}`);
      expect(await read()).toEqual({ ...before, ...changed, updated_at: expect.anything() });
      const { text } = await owner.get(location ?? "");
      expect(text).toMatch(/<p class="box good" role="status">Check (?:paused|muted)\./);
      expect(text).toContain(`action="/checks/${id}/${back}"`);
      await owner.post(`/checks/${id}/${back}`);
      expect(await read()).toEqual({ ...before, updated_at: expect.anything() });
    }
    const reader = await joined(plane, owner, "reader@example.com", "READ_ONLY");
    expect((await reader.get(`/checks/${id}`)).text).not.toMatch(/\/(?:deactivate|mute|delete)"/);
    expect((await reader.post(`/checks/${id}/mute`)).status).toBe(403);
    await owner.get(`/checks/${id}`);
    expect((await owner.post(`/checks/${id}/delete`)).location).toBe("/checks?done=delete");
    expect((await plane.call("GET", `/v1/checks/${id}`)).status).toBe(404);
  });

  it("alert, when they are made in the form, the channels that subscribe to every check, and no others", async () => {
    const channel = async (name: string, autoSubscribe: boolean): Promise<number> =>
      (
        await plane.call("POST", "/v1/alert-channels", {
          body: { type: "EMAIL", autoSubscribe, config: { address: `${name}@shop.example` } },
        })
      ).body.id;
    const [all, some] = [await channel("all", true), await channel("some", false)];
    const { text } = await owner.get("/checks/new?type=URL");
    const ticked = [...text.matchAll(/<input type="checkbox" name="alertChannels" value="(\d+)"( checked)?>/g)].map(([, id, on]) => [
      Number(id),
      on !== undefined,
    ]);
    expect(new Map(ticked as [number, boolean][])).toEqual(
      new Map([
        [all, true],
        [some, false],
      ]),
    );
  });

  it("are packed, but for the token of their forms; pages that may show secrets are not", async () => {
    for (const path of ["/checks", `/checks/${await make()}`, "/alerts"]) {
      const { headers, text } = await owner.get(path, { "accept-encoding": "gzip" });
      expect([path, headers.get("content-encoding"), headers.get("vary")]).toEqual([path, "gzip", "accept-encoding"]);
      expect(text).toContain(`name="csrf" value="${owner.csrf()}"`);
      expect((await owner.get(path, { "accept-encoding": "identity" })).headers.get("content-encoding")).toBeNull();
    }
    for (const path of ["/variables", "/keys", "/profile", "/checks/new?type=API"]) {
      const { headers } = await owner.get(path, { "accept-encoding": "gzip" });
      expect([path, headers.get("content-encoding")]).toEqual([path, null]);
    }
  });

  it("say what to do where there is none", async () => {
    expect((await owner.get("/checks")).text).toContain("outpost import");
  });

  it("tell of one check its figures, errors, alerts and runs, and lead to each run", async () => {
    const id = await make({ name: "Shop" });
    await run(id, { responseTimeMs: 120 });
    await run(id, down);
    const { text } = await owner.get(`/checks/${id}`);
    expect(text).toContain("<h1>Shop</h1>");
    expect(text).toContain("GET http://127.0.0.1/");
    expect(text).toMatch(/<dt>Availability<\/dt><dd>50 %<\/dd>/);
    expect(text).toContain('<tr><th scope="row">eu-west-1</th><td>50 %</td>');
    expect(text).toMatch(/<svg[^>]+role="img" aria-label="Response time by location/);
    expect(text).toContain("<h2>Errors</h2>");
    // As the newest run told it, how often, and with the way to that run.
    expect(text).toMatch(
      /<td class="at"><a href="\/checks\/[^"]+\/results\/[^"]+"><time[^>]+>[^<]+<\/time><\/a><\/td><td><time[^>]+>[^<]+<\/time><\/td><td>1<\/td><td class="free">expected status 200, got 503<\/td>/,
    );
    await eventually(async () => (await owner.get(`/checks/${id}`)).text.includes("<h2>Alerts</h2>"));
    const runs = [...text.matchAll(/<td><a href="(\/checks\/[^"]+\/results\/[^"]+)">/g)].map(([, address]) => address ?? "");
    expect(runs).toHaveLength(2);
    const failed = await owner.get(runs[0] ?? "");
    expect(failed.status).toBe(200);
    expect(failed.text).toContain("expected status 200, got 503");
    for (const title of ["Phases", "Request", "Response", "Run details"]) expect(failed.text).toContain(`<h2>${title}</h2>`);
    for (const range of ["1h", "7d", "30d", "nonsense"]) expect((await owner.get(`/checks/${id}?range=${range}`)).status).toBe(200);
  });

  it("show the attempts of a run together", async () => {
    const id = await make({ retryStrategy: { type: "FIXED", baseBackoffSeconds: 1, maxRetries: 1, sameRegion: true } });
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
    const [job] = await agent.lease(1, 5);
    await agent.report(reportOf(job!, { ...down, resultType: "ATTEMPT", attempt: 1 }));
    await agent.report(reportOf(job!, { attempt: 2 }));
    const { entries } = (await plane.call("GET", `/v2/check-results/${id}?resultType=ALL`)).body;
    expect(entries).toHaveLength(2);
    for (const { id: resultId } of entries) {
      const { text } = await owner.get(`/checks/${id}/results/${resultId}`);
      expect([...text.matchAll(/>Attempt (\d) /g)].map(([, number]) => number)).toEqual(["1", "2"]);
    }
  });

  it("run a check at once, for those who may, and write it to the audit log", async () => {
    const id = await make();
    await owner.get(`/checks/${id}`);
    const { status, location } = await owner.post(`/checks/${id}/run`);
    expect(status).toBe(303);
    expect(location).toMatch(new RegExp(`^/checks/${id}\\?started=[0-9a-f-]{36}$`));
    expect((await owner.get(location ?? "")).text).toContain("Waiting for an agent");
    const [job] = await agent.lease(1, 5);
    await agent.heartbeat([job!]);
    expect((await owner.get(location ?? "")).text).toContain("Running at one location");
    await agent.report(reportOf(job!, { ...down, responseTimeMs: 1_234 }));
    const { text } = await owner.get(location ?? "");
    expect(text).toMatch(
      /<div id="run" role="status"><div class="run">\s*<div><p><span class="state bad">.*?failed<\/span> <span>eu-west-1<\/span> <span>1.23 s</,
    );
    expect(text).toContain('<p class="problem">expected status 200, got 503</p>');
    const { entries } = (await plane.call("GET", "/v1/audit-log")).body;
    expect(entries[0]).toMatchObject({ operation: "triggerChecksV2", actor: { type: "user", userName: "ada@example.com" } });
    const reader = await joined(plane, owner, "bob@example.com", "READ_ONLY");
    expect((await reader.get(`/checks/${id}`)).text).not.toContain("Run now");
    expect((await reader.post(`/checks/${id}/run`)).status).toBe(403);
    expect((await reader.post(`/checks/${id}/run`, { csrf: "wrong" })).status).toBe(403);
    expect(await agent.lease(1, 0)).toEqual([]);
    const other = await owner.get(`/checks/${await make()}?started=${location?.split("=")[1]}`);
    expect(other.text).not.toContain("got 503");
  });

  it("give the files of a result to be saved", async () => {
    const id = await make();
    const content = Buffer.from("hop 1").toString("base64");
    await run(id, { ...down, evidence: [{ name: "traceroute.log", type: "log", contentType: "text/plain", data: content }] });
    const [{ id: resultId }] = (await plane.call("GET", `/v2/check-results/${id}`)).body.entries;
    expect((await owner.get(`/checks/${id}/results/${resultId}`)).text).toContain("traceroute.log</a>");
    const file = await owner.get(`/checks/${id}/results/${resultId}/files/traceroute.log`);
    expect(file.text).toBe("hop 1");
    expect(file.headers.get("content-disposition")).toBe('attachment; filename="traceroute.log"');
    expect((await owner.get(`/checks/${id}/results/${resultId}/files/other.log`)).status).toBe(404);
  });

  it("hold names and what targets sent as text", async () => {
    const id = await make({ name: evil, tags: [evil.slice(0, 20)] });
    await run(id, { ...down, errorMessage: evil });
    const [{ id: resultId }] = (await plane.call("GET", `/v2/check-results/${id}`)).body.entries;
    for (const path of ["/checks", `/checks/${id}`, `/checks/${id}/results/${resultId}`, `/checks?q=${encodeURIComponent(evil)}`]) {
      const { text, headers } = await owner.get(path);
      expect(text).toContain("&lt;img src=x");
      expect(withoutOurScripts(text)).not.toMatch(/<img|<script| style="/);
      expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
    }
  });

  it("tell how to put the badge of a check and of its group into other pages, unless the check is off", async () => {
    const group = (await plane.call("POST", "/v1/check-groups", { body: { name: "Shop", locations: ["eu-west-1"] } })).body.id;
    const id = await make({ name: 'Cart [1] "<b>"', groupId: group });
    const { text } = await owner.get(`/checks/${id}`);
    const url = `${plane.base}/v1/badges/checks/${id}`;
    expect(text).toContain(`![Cart \\[1\\] &quot;&lt;b&gt;&quot;](${url})`);
    expect(text).toContain(`&lt;img src=&quot;${url}&quot; alt=&quot;Cart [1] &amp;quot;&amp;lt;b&amp;gt;&amp;quot;&quot;&gt;`);
    expect(text).toContain(`/v1/badges/groups/${group})`);
    expect((await owner.get(`/v1/badges/checks/${id}`)).text).toContain("<svg");
    const off = (await owner.get(`/checks/${await make({ activated: false })}`)).text;
    expect(off).not.toContain("/v1/badges/");
  });

  it("show nobody another account's checks, and lead who is not signed in to where he can", async () => {
    const id = await make({ name: "Ours" });
    await run(id);
    const [{ id: resultId }] = (await plane.call("GET", `/v2/check-results/${id}`)).body.entries;
    const { accounts } = plane.context.storage;
    const other = await accounts.create({ uuid: crypto.randomUUID(), name: "other", runtimeId: "2026.04", nowMs: Date.now() });
    const { body } = await plane.call("POST", "/v1/checks/api", {
      key: await plane.keyFor("OWNER", other.id),
      body: apiCheck({ name: "Theirs" }),
    });
    expect((await owner.get("/checks")).text).not.toContain("Theirs");
    for (const path of [
      `/checks/${body.id}`,
      `/checks/${body.id}/results/${resultId}`,
      "/checks/nonsense",
      `/checks/${id}/results/${body.id}`,
    ])
      expect([path, [400, 404].includes((await owner.get(path)).status)]).toEqual([path, true]);
    owner.cookies.clear();
    for (const path of ["/checks", `/checks/${id}`]) {
      const { status, location } = await owner.get(path);
      expect([status, location]).toEqual([303, `/sign-in?to=${encodeURIComponent(path)}`]);
    }
  });

  it("are what the front page leads to once somebody has signed in", async () => {
    expect(await owner.get("/")).toMatchObject({ status: 303, location: "/checks" });
    owner.cookies.clear();
    expect((await owner.get("/")).text).toContain("/sign-in");
  });
});
