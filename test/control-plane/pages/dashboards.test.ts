import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withoutOurScripts } from "../../support/our-scripts.ts";
import { type Answer, call } from "../call.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { type ReportedRun, reportRuns } from "../rest/reported-runs.ts";
import { get as getFrom, type PageAnswerOf, postForm } from "./get.ts";

const minute = 60_000;

describe("pages of dashboards", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest({ QUEUE_WAIT_SECONDS: "86400", PUBLIC_URL: "http://outpost.example.org", PAGE_DOMAINS: "trusted" });
    const { body: group } = await plane.call("POST", "/v2/check-groups", { body: { name: "Buying" } });
    await create({ name: "Cart 10", tags: ["shop"] }, [
      ran({ hasFailures: true, responseTimeMs: 1_240 }),
      ran({ atMs: Date.now() - 3 * minute }),
    ]);
    await create({ name: "Cart 9", tags: ["shop", "critical"], groupId: group.id }, [ran({ responseTimeMs: 84 })]);
    await create({ name: "Search", tags: ["critical"] }, [ran({ isDegraded: true })]);
    await create({ name: "Never ran", tags: ["other"] });
    await create({ name: "Switched off", tags: ["shop"], activated: false });
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const create = async (change: object, runs: readonly ReportedRun[] = []): Promise<string> => {
    const { body } = await plane.call("POST", "/v1/checks/api", { body: apiCheck(change) });
    await reportRuns(plane.context.storage, plane.account.id, body.id, runs);
    return body.id;
  };
  const ran = (change: Partial<ReportedRun> = {}): ReportedRun => ({ atMs: Date.now() - 2 * minute, ...change });
  let made = 0;
  const dashboard = async (change: object = {}): Promise<Answer["body"]> => {
    const customUrl = `page-${(made += 1)}`;
    return (await plane.call("POST", "/v1/dashboards", { body: { header: "Shop", customUrl, ...change } })).body;
  };
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) => getFrom(plane.base, path, headers);
  const shown = async (change: object = {}): Promise<string> => (await get(`/dashboards/${(await dashboard(change)).customUrl}`)).text;
  const namesIn = (text: string): readonly string[] => [...text.matchAll(/<h3>([^<]*)<\/h3>/g)].map(([, name]) => name ?? "");

  it("tell of each check its state, its last day and how long it took, with units and in words", async () => {
    const text = await shown();
    expect(namesIn(text)).toEqual(["Cart 9", "Cart 10", "Never ran", "Search"]);
    for (const part of ["1 of 4 checks failing", "1 failing · 1 degraded · 1 no data · 1 passing", "84 ms", "1.24 s", "50 %"]) {
      expect(text).toContain(part);
    }
    expect(text).toContain('aria-label="Last 24 hours, by hour: 24 hours without results"');
    expect(text).toMatch(/<time datetime="[\d-]+T[\d:.]+Z">\d+ \w+ \d{4}, \d\d:\d\d UTC<\/time>/);
    expect(text).not.toContain("Switched off");
  });

  it("show what every setting asks for", async () => {
    const text = await shown({
      description: "All that we sell",
      logo: "https://cdn.example.com/logo.png",
      link: "https://example.com/",
      favicon: "https://icons.example.com/i.png",
      enableIncidents: true,
    });
    expect(text).toContain("<h1>Shop</h1><p>All that we sell</p>");
    expect(text).toContain(
      '<a class="logo" href="https://example.com/" rel="noopener noreferrer"><img src="https://cdn.example.com/logo.png"',
    );
    expect(text).toContain('<link rel="icon" href="https://icons.example.com/i.png">');
    expect(text).toMatch(/class="wFULL"[\s\S]*Buying[\s\S]*<span class="chip">critical<\/span>[\s\S]*p95<[\s\S]*p99</);
    expect(text).not.toMatch(/<details open>|Latest runs/);

    const plain = await shown({
      width: "960PX",
      showHeader: false,
      showGroupNames: false,
      hideTags: true,
      showP95: false,
      showP99: false,
      expandChecks: true,
      showCheckRunLinks: true,
      description: "All that we sell",
    });
    expect(plain).toMatch(/class="w960PX"[\s\S]*<details open>[\s\S]*Latest runs/);
    expect(plain).not.toMatch(/<h1>Shop|All that we sell<\/p>|Buying|class="chip"|P95<|P99</);
  });

  it.each([
    [{ tags: ["shop"] }, ["Cart 9", "Cart 10"]],
    [{ tags: ["shop", "critical"] }, ["Cart 9", "Cart 10", "Search"]],
    [{ tags: ["shop", "critical"], useTagsAndOperator: true }, ["Cart 9"]],
    [{ tags: ["unknown"] }, []],
    [{ sortByStatus: true }, ["Cart 10", "Search", "Never ran", "Cart 9"]],
  ])("with %j show %j", async (settings, names) => {
    expect(namesIn(await shown(settings))).toEqual(names);
  });

  it("turn their pages without a script: refreshed until a page's time is over, then the next one, then the first", async () => {
    const { customUrl } = await dashboard({ checksPerPage: 3, refreshRate: 60, paginationRate: 300 });
    const path = `/dashboards/${customUrl}`;
    const first = await get(path);
    expect(first.headers.get("refresh")).toBe(`60; url=${path}?shown=60`);
    expect(first.text).toContain("Page 1 of 2");
    expect((await get(`${path}?shown=240`)).headers.get("refresh")).toBe(`60; url=${path}?page=2`);
    const last = await get(`${path}?page=2&shown=240`);
    expect([namesIn(last.text), last.headers.get("refresh")]).toEqual([["Search"], `60; url=${path}`]);
    expect((await get(`${path}?page=2&hold=1`)).headers.get("refresh")).toBe(`60; url=${path}?page=2&hold=1`);
    expect((await get(`${path}?page=999&shown=x`)).text).toContain("Page 2 of 2");
    const { customUrl: still } = await dashboard({ checksPerPage: 3, refreshRate: 600, paginate: false });
    expect((await get(`/dashboards/${still}`)).headers.get("refresh")).toBe(`600; url=/dashboards/${still}`);
  });

  it("link to runs that tell no more than when, where and how, where the dashboard says so", async () => {
    const [open, closed] = [await dashboard({ showCheckRunLinks: true, tags: ["shop"] }), await dashboard()];
    const link = /href="(\/dashboards\/[\w-]+\/checks\/[\w-]+)"/.exec((await get(`/dashboards/${open.customUrl}`)).text)?.[1] ?? "";
    const { status, text } = await get(link);
    expect(status).toBe(200);
    expect(text).toMatch(/Latest runs of Cart 9[\s\S]*Passed[\s\S]*eu-west-1[\s\S]*84 ms/);
    expect((await get(link.replace(open.customUrl, closed.customUrl))).status).toBe(404);
    const foreign = await create({ name: "Not on this one", tags: ["other"] });
    for (const id of [foreign, crypto.randomUUID(), "x"]) expect((await get(link.replace(/[^/]+$/, id))).status).toBe(404);
  });

  it("tell heartbeats by their pings", async () => {
    const heartbeat = { period: 1, periodUnit: "days", grace: 1, graceUnit: "hours" };
    const { body } = await plane.call("POST", "/v1/checks/heartbeat", { body: { name: "Backup", tags: ["nightly"], heartbeat } });
    expect((await call(plane.base, "GET", new URL(body.heartbeat.pingUrl).pathname)).status).toBe(200);
    plane.advance(10_001);
    const { customUrl } = await dashboard({ tags: ["nightly"], showCheckRunLinks: true });
    const { text } = await get(`/dashboards/${customUrl}`);
    expect(text).toMatch(
      /1 check passing[\s\S]*Backup[\s\S]*Passing[\s\S]*by hour: 1 hour without failures, 23 hours without results[\s\S]*100 %/,
    );
    expect((await get(`/dashboards/${customUrl}/checks/${body.id}`)).text).toMatch(/Latest runs of Backup[\s\S]*Ping/);
  });

  it("show incidents with their updates, those that go on before those that ended", async () => {
    const { id, customUrl } = await dashboard({ enableIncidents: true });
    const incident = (name: string, status: string) =>
      plane.call("POST", "/v1/incidents", {
        body: { name, impact: "MAJOR", dashboardId: id, incidentUpdates: [{ status, description: `${name} now` }] },
      });
    await incident("Payments fail", "INVESTIGATING");
    await incident("It was slow", "RESOLVED");
    const { text } = await get(`/dashboards/${customUrl}`);
    expect(text).toMatch(/<h2>Incidents<\/h2>[\s\S]*Payments fail now[\s\S]*id="checks"[\s\S]*Past incidents[\s\S]*It was slow now/);
    expect(await shown()).not.toContain("Payments fail");
  });

  it("answer at their own domain in any case, and nowhere else", async () => {
    await dashboard({ customUrl: null, header: "At home", customDomain: "Status.Example.com", customCSS: ".card { color: red }" });
    const home = await get("/", { host: "STATUS.example.COM:8443" });
    expect([home.status, home.text.includes("<h1>At home</h1>")]).toEqual([200, true]);
    const sheet = /<link rel="stylesheet" href="([^"]+)">/.exec(home.text)?.[1] ?? "";
    expect((await get(sheet, { host: "status.example.com" })).text).toBe(".card { color: red }");
    expect((await get(sheet)).status).toBe(404);
    expect((await get("/")).text).toContain("<h1>Outpost</h1>");
    expect((await get("/", { host: "other.example.com" })).text).toContain("<h1>Outpost</h1>");
  });

  it("answer to their dashboardId, whose place no url takes", async () => {
    const { dashboardId } = await dashboard({ header: "Without address", customUrl: null });
    await dashboard({ header: "In its place", customUrl: dashboardId.toUpperCase() });
    expect((await get(`/dashboards/${dashboardId}`)).text).toContain("<h1>Without address</h1>");
    await dashboard({ header: "Eight letters", customUrl: "deadbeef" });
    expect((await get("/dashboards/DeadBeef")).text).toContain("<h1>Eight letters</h1>");
  });

  it("are packed for browsers that take it", async () => {
    const path = `/dashboards/${(await dashboard({ refreshRate: 600 })).customUrl}`;
    const [plain, packed] = await Promise.all([get(path), fetch(plane.base + path, { headers: { "accept-encoding": "br, gzip" } })]);
    expect([plain, packed].map(({ headers }) => [headers.get("content-encoding"), headers.get("vary")])).toEqual([
      [null, "accept-encoding"],
      ["gzip", "accept-encoding"],
    ]);
    expect(await packed.text()).toBe(plain.text);
  });

  describe("that are private", () => {
    let secret: Answer["body"];
    let path: string;
    beforeAll(async () => {
      secret = await dashboard({ header: "Secret", isPrivate: true, customCSS: ".secret {}" });
      path = `/dashboards/${secret.customUrl}`;
    });

    it("look like dashboards that do not exist, also with a wrong key", async () => {
      const seen = async (at: string, headers = {}) => {
        const { status, text, headers: answered } = await get(at, headers);
        return { status, text, policy: answered.get("content-security-policy"), cache: answered.get("cache-control") };
      };
      const missing = await seen("/dashboards/missing");
      expect(missing).toMatchObject({ status: 404, cache: "private, no-store" });
      const wrong = `?key=da_${"0".repeat(32)}`;
      for (const at of [path, `${path}${wrong}`, `/dashboards/missing${wrong}`, `${path}/style.css`, "/dashboards/~", "/dashboards/%00"]) {
        expect([at, await seen(at)]).toEqual([at, missing]);
      }
      expect(await seen(path, { cookie: `outpost-dashboard-${secret.dashboardId}=${"0".repeat(64)}` })).toEqual(missing);
    });

    it("open with a key, which becomes a cookie and stands in no link", async () => {
      const key = secret.keys[0].rawKey;
      const answer = await get(`${path}?key=${key}`);
      expect([answer.status, answer.headers.get("location")]).toEqual([303, path]);
      const cookie = answer.headers.get("set-cookie") ?? "";
      expect(cookie).toMatch(/; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
      expect(cookie).not.toContain(key);
      const headers = { cookie: `other=1; ${cookie.split(";")[0]}` };
      const opened = await get(path, { ...headers, "accept-encoding": "gzip" });
      expect(opened.headers.get("content-encoding")).toBeNull();
      expect([opened.status, opened.headers.get("cache-control"), opened.text.includes("<h1>Secret</h1>")]).toEqual([
        200,
        "private, no-store",
        true,
      ]);
      expect(opened.text).not.toContain(key);
      expect((await get(`${path}/style.css`, headers)).text).toBe(".secret {}");

      await plane.call("DELETE", `/v1/dashboards/${secret.dashboardId}/keys/${secret.keys[0].id}`);
      expect((await get(path, headers)).status).toBe(404);
    });

    it("take the key from a form, in no address", async () => {
      const { customUrl, keys } = await dashboard({
        header: "By form",
        isPrivate: true,
        showCheckRunLinks: true,
        customDomain: "form.example.com",
      });
      const key: string = keys[0].rawKey;
      const host = { host: "form.example.com" };
      const places: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
        [`/dashboards/${customUrl}`, {}],
        [`/dashboards/${customUrl}/checks/${crypto.randomUUID()}`, {}],
        ["/", host],
        ["/dashboards/~", host],
      ];
      for (const [at, headers] of places) {
        const locked = await get(at, headers);
        expect(locked.text).toContain('<form method="post" class="row">');
        expect(locked.headers.get("content-security-policy")).toContain("form-action 'self'");
        const opened = await postForm(plane.base, `${at}?page=2`, { key }, headers);
        expect([at, opened.status, opened.headers.get("location"), opened.text]).toEqual([at, 303, at, ""]);
        const [cookie = ""] = (opened.headers.get("set-cookie") ?? "").split(";");
        expect(cookie).not.toContain(key);
      }
      const opened = await postForm(plane.base, "/", { key }, host);
      const cookie = (opened.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
      expect((await get("/", { ...host, cookie })).text).toContain("<h1>By form</h1>");
      const open = await dashboard();
      expect((await postForm(plane.base, `/dashboards/${open.customUrl}`, { key: "any" })).headers.get("location")).toContain(
        open.customUrl,
      );
    });

    it("answer a wrong key in the form as those do that do not exist, until there is a pause", async () => {
      const strict = { RATE_LIMIT_WRONG_KEYS: "6/60", PUBLIC_URL: "http://outpost.example.org" };
      await using other = await controlPlaneUnderTest(strict);
      const body = { header: "Secret", customUrl: "secret", customDomain: "secret.example.com", isPrivate: true };
      await other.call("POST", "/v1/dashboards", { body });
      const seen = ({ status, text, headers }: PageAnswerOf) => ({ status, text, policy: headers.get("content-security-policy") });
      const wrong = { key: `da_${"0".repeat(32)}` };
      const tries: PageAnswerOf[] = [];
      for (const fields of [wrong, { key: "" }, {}]) {
        for (const path of ["/dashboards/secret", "/dashboards/missing"]) tries.push(await postForm(other.base, path, fields));
      }
      expect(tries.map(seen)).toEqual(tries.map(() => seen(tries[0]!)));
      expect(tries[0]).toMatchObject({ status: 404, text: expect.stringContaining("This key is not valid for this page.") });
      const paused = [];
      for (const name of ["secret", "missing"]) paused.push(await postForm(other.base, `/dashboards/${name}`, wrong));
      expect(paused.map(({ status, text }) => [status, text.includes("Too many wrong keys")])).toEqual([
        [429, true],
        [429, true],
      ]);
      expect(Number(paused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
    });

    it("count wrong keys, so that guessing ends", async () => {
      await using strict = await controlPlaneUnderTest({ RATE_LIMIT_WRONG_KEYS: "2/60" });
      const statuses = [];
      for (let n = 0; n < 3; n += 1) statuses.push((await getFrom(strict.base, "/dashboards/x?key=y")).status);
      expect(statuses).toEqual([404, 404, 429]);
    });
  });

  describe("that are hostile", () => {
    const script = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`;
    const css = `</style><script>alert(1)</script>@import url(https://evil.example/x.css); .card { background: url(https://evil.example/) }`;

    it("stay text under a policy that lets nothing run", async () => {
      await create({ name: script, tags: ["hostile"] });
      plane.advance(10_001); // what was read of the account's checks is shown for so long
      const { customUrl } = await dashboard({
        header: script,
        description: script,
        tags: ["hostile"],
        customCSS: css,
        showCheckRunLinks: true,

        link: "https://example.com/'\"><script>",
        logo: "https://cdn.example.com/<script>;'\".png",
        favicon: "http://plain.example.com/i.png",
      });
      const { text, headers } = await get(`/dashboards/${customUrl}`);
      expect(withoutOurScripts(text)).not.toMatch(/<script|<img src=x|evil\.example|plain\.example|javascript:/);
      expect(namesIn(text)).toEqual(["&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&lt;img src=x onerror=alert(1)&gt;"]);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/=]+' 'self'; script-src 'sha256-[\w+/=]+'; img-src data: https:\/\/cdn\.example\.com; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
      );

      const sheet = await get(/<link rel="stylesheet" href="([^"]+)">/.exec(text)?.[1] ?? "");
      expect(sheet.text).toBe(css);
      expect(sheet.headers.get("content-type")).toBe("text/css; charset=utf-8");
      expect(sheet.headers.get("x-content-type-options")).toBe("nosniff");
      expect(sheet.headers.get("content-security-policy")).toContain("default-src 'none'");
    });

    it("get no link that runs", async () => {
      const { status } = await plane.call("POST", "/v1/dashboards", { body: { header: "x", link: "javascript:alert(1)" } });
      expect(status).toBe(400);
    });

    it("take the place of the control plane's own address under no claim", async () => {
      await using named = await controlPlaneUnderTest({ PUBLIC_URL: "https://outpost.example.com" });
      await named.call("POST", "/v1/dashboards", { body: { header: "Evil", customDomain: "outpost.example.com" } });
      expect((await getFrom(named.base, "/", { host: "outpost.example.com" })).text).toContain("<h1>Outpost</h1>");
    });

    it("take no name at all where nobody said which is the control plane's: each may be", async () => {
      await using unnamed = await controlPlaneUnderTest();
      const body = { header: "Evil", name: "Evil", url: "evil", cards: [] };
      await unnamed.call("POST", "/v1/dashboards", { body: { ...body, customDomain: "outpost.example.com" } });
      await unnamed.call("POST", "/v1/status-pages", { body: { ...body, customDomain: "monitor.example.com" } });
      for (const host of ["outpost.example.com", "monitor.example.com"]) {
        expect((await getFrom(unnamed.base, "/", { host })).text).toContain("<h1>Outpost</h1>");
        for (const path of ["/dashboards/~", "/status/~"])
          expect([path, (await getFrom(unnamed.base, path, { host })).status]).toEqual([path, 404]);
      }
    });
  });

  it("show nothing of other accounts", async () => {
    const { storage } = plane.context;
    const other = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: Date.now() });
    const key = await plane.keyFor("OWNER", other.id);
    const { body } = await call(plane.base, "POST", "/v1/dashboards", { key, body: { header: "Other", customUrl: "other" } });
    expect(body.customUrl).toBe("other");
    expect(namesIn((await get("/dashboards/other")).text)).toEqual([]);
  });
});
