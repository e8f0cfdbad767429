import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isCheckType } from "#contract/checks/index.ts";
import { CheckTypeName } from "#contract/primitives.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import type { Browser } from "./browser.ts";
import { formFields } from "./edit-forms.ts";
import { evil } from "./key-holder.ts";
import { firstOwner, joined } from "./people.ts";

describe("making and changing checks in a form", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let owner: Browser;
  beforeEach(async () => {
    plane = await controlPlaneUnderTest({ SECRETS_READABLE: "write" });
    await plane.call("POST", "/v1/private-locations", { body: { name: "Berlin", slugName: "berlin" } });
    owner = await firstOwner(plane);
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });

  const read = async (path: string) => (await plane.call("GET", `/v1${path}`)).body;
  const common = { name: "Shop", tags: "web, shop", activated: "on", interval: "5", privateLocations: "berlin" };
  async function create(type: string, fields: Readonly<Record<string, string | readonly string[]>>) {
    await owner.get(`/checks/new?type=${type}`);
    return owner.post("/checks/new", { type, ...common, ...fields });
  }

  it("leads to a form for each type", async () => {
    const { text } = await owner.get("/checks/new");
    const links = [...text.matchAll(/href="(\/checks\/new\?type=\w+)"/g)].map(([, link]) => link ?? "");
    const types = links.map((link) => link.split("=").at(-1) ?? "");
    expect(new Set(types)).toEqual(new Set(CheckTypeName.options));
    for (const type of types) {
      const form = (await owner.get(`/checks/new?type=${type}`)).text;
      expect(form).toContain("<h1>New ");
      expect([type, form.includes("Agents of this version cannot run")]).toEqual([type, !isCheckType(type) && type !== "HEARTBEAT"]);
      expect([type, form.includes("Run without saving")]).toEqual([type, isCheckType(type)]);
    }
  });

  it.each<[string, Readonly<Record<string, string>>, object]>([
    [
      "URL",
      { "request.url": "https://shop.example.com/", "request.followRedirects": "on", degradedResponseTime: "100", maxResponseTime: "200" },
      { request: { url: "https://shop.example.com/", followRedirects: true, skipSSL: false }, degradedResponseTime: 100 },
    ],
    [
      "API",
      {
        "request.method": "POST",
        "request.url": "https://api.example.com/",
        "request.headers": "Accept: application/json\nX-Id: a:b",
        "request.queryParameters": "limit=10",
        "request.bodyType": "JSON",
        "request.body": '{\r\n"a": 1}',
        "assertion.source": "STATUS_CODE",
        "assertion.property": "",
        "assertion.comparison": "EQUALS",
        "assertion.target": "201",
        maxResponseTime: "500",
        degradedResponseTime: "",
      },
      {
        request: {
          method: "POST",
          headers: [
            { key: "Accept", value: "application/json" },
            { key: "X-Id", value: "a:b" },
          ],
          queryParameters: [{ key: "limit", value: "10" }],
          body: '{\n"a": 1}',
          assertions: [{ source: "STATUS_CODE", target: "201" }],
          followRedirects: false,
        },
        degradedResponseTime: null,
        maxResponseTime: 500,
      },
    ],
    [
      "TCP",
      { "request.hostname": "db.example.com", "request.port": "5432", "request.tls": "on" },
      { request: { hostname: "db.example.com", port: 5432, tls: true, data: null } },
    ],
    [
      "DNS",
      {
        "request.query": "shop.example.com",
        "request.recordType": "MX",
        "request.nameServer": "",
        "request.port": "",
        "request.protocol": "TCP",
      },
      { request: { query: "shop.example.com", recordType: "MX", protocol: "TCP" } },
    ],
    [
      "ICMP",
      { "request.hostname": "gateway.example.com", "request.pingCount": "4", maxPacketLossThreshold: "50" },
      { request: { hostname: "gateway.example.com", pingCount: 4 }, maxPacketLossThreshold: 50 },
    ],
    [
      "SSL",
      {
        "request.sslConfig.hostname": "shop.example.com",
        "request.sslConfig.port": "443",
        "request.sslConfig.alertDaysBeforeExpiry": "14",
      },
      { request: { sslConfig: { hostname: "shop.example.com", port: 443, alertDaysBeforeExpiry: 14 } } },
    ],
    [
      "BROWSER",
      {
        script: "await page.goto('/')\r\n",
        runtimeId: "2025.04",
        sslCheckDomain: "",
        "variable.key": "USER",
        "variable.value": "ada",
        "variable.kind": "locked",
      },
      {
        script: "await page.goto('/')\n",
        runtimeId: "2025.04",
        environmentVariables: [{ key: "USER", value: "ada", locked: true, secret: false }],
      },
    ],
    ["MULTI_STEP", { script: "", runtimeId: "" }, { script: null, runtimeId: null }],
    [
      "PLAYWRIGHT",
      { testCommand: "npx playwright test", browsers: "chromium, firefox", engine: "", workingDir: "shop" },
      { browsers: ["chromium", "firefox"], engine: null, workingDir: "shop", installCommand: "" },
    ],
    [
      "AGENTIC",
      // It has no script of its own: what the form does not show is not taken either.
      {
        prompt: "Buy a book at https://shop.example/",
        allowedHosts: "login.example.com, *.shop.example",
        script: "x",
        runtimeId: "2026.04",
      },
      {
        prompt: "Buy a book at https://shop.example/",
        allowedHosts: ["login.example.com", "*.shop.example"],
        script: null,
        runtimeId: "2026.04",
      },
    ],
    [
      "GRPC",
      {
        "request.url": "api.example.com",
        "request.port": "8443",
        "request.grpcConfig.mode": "BEHAVIOR",
        "request.grpcConfig.tls": "on",
        "request.grpcConfig.service": "shop.Orders",
        "request.grpcConfig.method": "Get",
        "request.grpcConfig.message": '{"id": "42"}',
        "request.grpcConfig.serviceDefinition": "REFLECTION",
        "request.grpcConfig.metadata": "authorization: Bearer {{TOKEN}}\ntenant: shop",
      },
      {
        request: {
          port: 8443,
          grpcConfig: {
            mode: "BEHAVIOR",
            tls: true,
            service: "shop.Orders",
            method: "Get",
            message: '{"id": "42"}',
            serviceDefinition: "REFLECTION",
            metadata: [
              { key: "authorization", value: "Bearer {{TOKEN}}" },
              { key: "tenant", value: "shop" },
            ],
          },
        },
      },
    ],
    [
      "GRPC",
      {
        "request.url": "api.example.com",
        "request.port": "443",
        "request.grpcConfig.mode": "BEHAVIOR",
        "request.grpcConfig.service": "shop.Orders",
        "request.grpcConfig.method": "Get",
        "request.grpcConfig.serviceDefinition": "PROTO_FILE",
        "request.grpcConfig.protoContent": 'syntax = "proto3";\nservice Orders {}\n',
      },
      { request: { grpcConfig: { serviceDefinition: "PROTO_FILE", protoContent: 'syntax = "proto3";\nservice Orders {}\n' } } },
    ],
    [
      "GRPC",
      {
        "request.url": "api.example.com",
        "request.port": "{{PORT}}",
        "request.grpcConfig.mode": "HEALTH",
        "request.grpcConfig.service": "shop.Orders",
        "request.grpcConfig.metadata": "tenant: shop",
        "request.ipFamily": "IPv6",
        "request.timeout": "",
        "assertion.source": "GRPC_STATUS_CODE",
        "assertion.property": "",
        "assertion.comparison": "EQUALS",
        "assertion.target": "0",
      },
      {
        request: {
          url: "api.example.com",
          port: "{{PORT}}",
          ipFamily: "IPv6",
          timeout: null,
          grpcConfig: { mode: "HEALTH", tls: false, service: "shop.Orders", metadata: [{ key: "tenant", value: "shop" }] },
          assertions: [{ source: "GRPC_STATUS_CODE", target: "0" }],
        },
      },
    ],
    [
      "TRACEROUTE",
      { "request.url": "shop.example.com", "request.protocol": "UDP", "request.port": "", "request.maxHops": "20" },
      { request: { url: "shop.example.com", protocol: "UDP", port: null, maxHops: 20 } },
    ],
  ])("makes a check of type %s", async (type, fields, expected) => {
    const { status, location } = await create(type, fields);
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/checks\/[\da-f-]{36}$/)]);
    expect(await read(location ?? "")).toMatchObject({
      checkType: type,
      name: "Shop",
      tags: ["web", "shop"],
      activated: true,
      muted: false,
      frequency: 5,
      privateLocations: ["berlin"],
      ...expected,
    });
  });

  it("keeps the scripts and secrets of a check that it does not show, and says what a type wants that nobody runs", async () => {
    const body = {
      name: "Shop",
      privateLocations: ["berlin"],
      script: "await go()",
      environmentVariables: [
        { key: "PASSWORD", value: "pa55word-of-ada", secret: true },
        { key: "TOKEN", value: "t0ken-of-ada", locked: true },
      ],
    };
    const { id } = (await plane.call("POST", "/v1/checks/multistep", { body })).body;
    const { text } = await owner.get(`/checks/${id}/edit`);
    expect(text).not.toMatch(/pa55word-of-ada|t0ken-of-ada/);
    const fields = {
      ...common,
      script: "await go() // twice",
      "variable.key": ["PASSWORD", "TOKEN", ""],
      "variable.value": ["********", "********", ""],
      "variable.kind": ["secret", "locked", "plain"],
    };
    expect((await owner.post(`/checks/${id}/edit`, fields)).status).toBe(303);
    expect(await read(`/checks/${id}`)).toMatchObject({
      script: "await go() // twice",
      environmentVariables: [
        { key: "PASSWORD", value: null, secret: true },
        { key: "TOKEN", value: "t0ken-of-ada", locked: true },
      ],
    });
    const renamed = await owner.post(`/checks/${id}/edit`, { ...fields, "variable.key": ["PASSWORT", "TOKEN", ""] });
    expect([renamed.status, renamed.text.includes("the asterisks that stand for a secret")]).toEqual([400, true]);
  });

  it("takes a form of 1,400 fields, with all assertions that a check may have and scripts of half a megabyte", async () => {
    const many = Array.from({ length: 200 }, (_, index) => String(index));
    const script = `// ${"x".repeat(250_000)}`;
    const { status, location } = await create("API", {
      "request.method": "GET",
      "request.url": "https://shop.example.com/",
      "assertion.source": many.map(() => "STATUS_CODE"),
      "assertion.property": many.map(() => ""),
      "assertion.comparison": many.map(() => "EQUALS"),
      "assertion.target": many,
      "variable.key": many.map((index) => `KEY_${index}`),
      "variable.value": many,
      "variable.kind": many.map(() => "plain"),
      localSetupScript: script,
      localTearDownScript: script,
    });
    expect(status).toBe(303);
    const made = await read(location ?? "");
    expect([made.request.assertions.length, made.localSetupScript === script]).toEqual([200, true]);
  });

  it("makes a heartbeat", async () => {
    const { location } = await create("HEARTBEAT", {
      "heartbeat.period": "2",
      "heartbeat.periodUnit": "hours",
      "heartbeat.grace": "5",
      "heartbeat.graceUnit": "minutes",
    });
    expect(await read(location ?? "")).toMatchObject({
      checkType: "HEARTBEAT",
      heartbeat: { period: 2, periodUnit: "hours", grace: 5, graceUnit: "minutes" },
    });
  });

  it("keeps what was typed after an error, and says beside the field what it wants", async () => {
    const { status, text } = await create("TCP", { name: evil, "request.hostname": "", "request.port": "http", interval: "0/20" });
    expect(status).toBe(400);
    for (const path of ["request.hostname", "request.port"]) expect(text).toContain(`id="${path}-problem"`);
    expect(text).toContain('name="request.port" inputmode="decimal" value="http"');
    expect(text).toContain("&lt;img src=x");
    expect(text).not.toContain("<img");
    expect(text).toContain('<option value="0/20" selected>');
    expect(await read("/checks")).toEqual([]);
  });

  it("begins a refused form with links to what is wrong, and says so in the title", async () => {
    const { status, text } = await create("URL", { "request.url": "no address", tags: "x".repeat(300), privateLocations: "" });
    const [, summary = ""] = /<div class="box bad" role="alert" tabindex="-1" autofocus>([\s\S]*?)<\/div>/.exec(text) ?? [];
    const links = [...summary.matchAll(/href="#([^"]+)">([^<]+)/g)].map(([, id, label]) => [id, label]);
    expect([status, /<title>([^<]*)/.exec(text)?.[1]]).toEqual([400, "Error: New URL check · Outpost"]);
    expect(summary).toContain("fields need your attention");
    expect(links).toContainEqual(["tags", "Tags"]);
    for (const [id] of links) expect(text).toContain(`id="${id}"`);
    const broken = {
      "assertion.source": "STATUS_CODE",
      "assertion.property": "",
      "assertion.comparison": "EQUALS",
      "assertion.target": "many",
    };
    const api = await create("API", { "request.method": "GET", "request.url": "https://a.example.com/", ...broken });
    expect(api.text).toContain('<a href="#request.assertions[0]">Assertion 1</a>');
    expect(api.text).toContain('id="request.assertions[0]"');
    expect((await owner.get("/checks/new?type=URL")).text).toMatch(/<title>New/);
    await owner.get("/snippets/new");
    expect((await owner.post("/snippets", { name: "", script: "" })).text).toContain("<title>Error: ");
  });

  it("says what is wrong with an assertion beside it, and with what no field shows above the form", async () => {
    const wrong = await create("API", {
      "request.method": "GET",
      "request.url": "http://a.example.com",
      "request.bodyType": "NONE",
      "assertion.source": "STATUS_CODE",
      "assertion.comparison": "SPELLS",
      "assertion.property": "",
      "assertion.target": "1",
    });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toMatch(/aria-label="Target of assertion 1"[^>]*><p class="problem" id="request.assertions\[0\]-problem">/);
    const place = await create("TCP", { "request.hostname": "a", "request.port": "1", privateLocations: "nowhere" });
    expect([place.status, place.text.includes('class="problem"')]).toEqual([400, true]);
  });

  it("goes back to the usual port of a protocol where one is emptied", async () => {
    const request = { query: "shop.example.com", recordType: "A", port: 5353, protocol: "DOT" };
    const { body } = await plane.call("POST", "/v1/checks/dns", { body: { name: "Name", privateLocations: ["berlin"], request } });
    const typed = { "request.query": "shop.example.com", "request.recordType": "A", "request.port": "", "request.protocol": "DOT" };
    const limits = { degradedResponseTime: "500", maxResponseTime: "1000" };
    await owner.get(`/checks/${body.id}/edit`);
    const saved = await owner.post(`/checks/${body.id}/edit`, {
      name: "Name",
      privateLocations: "berlin",
      interval: "10",
      ...typed,
      ...limits,
    });
    expect(saved.status).toBe(303);
    expect((await plane.call("GET", `/v1/checks/${body.id}`)).body.request).toMatchObject({ port: 853, protocol: "DOT" });
  });

  it("changes what it shows, and nothing else", async () => {
    const made = (
      await plane.call("POST", "/v1/checks/api", {
        body: {
          name: "Shop",
          privateLocations: ["berlin"],
          frequency: 0,
          frequencyOffset: 30,
          retryStrategy: { type: "LINEAR", baseBackoffSeconds: 5, maxRetries: 3 },
          localSetupScript: "// keep me",
          groupId: null,
          request: {
            method: "GET",
            url: "http://a.example.com/",
            headers: [
              { key: "Authorization", value: "Bearer s3cr3t-t0ken-value", locked: true },
              { key: "Accept", value: "*/*" },
            ],
            basicAuth: { username: "ada", password: "pa55word-of-ada" },
            assertions: [{ source: "HEADERS", property: "etag", comparison: "NOT_EMPTY", target: "", regex: "^W" }],
          },
        },
      })
    ).body;
    const page = await owner.get(`/checks/${made.id}/edit`);
    expect(page.text).toContain('<option value="0/30" selected>');
    expect(page.text).toContain("Authorization: ********\nAccept: */*");
    expect(page.text).not.toMatch(/s3cr3t-t0ken|pa55word/);
    const fields = {
      ...common,
      name: "Store",
      interval: "0/30",
      "request.method": "GET",
      "request.url": "http://b.example.com/",
      "request.headers": "Authorization: ********\r\nAccept: text/html",
      "request.bodyType": "NONE",
      "request.body": "",
      "request.followRedirects": "on",
      "assertion.source": "HEADERS",
      "assertion.property": "etag",
      "assertion.comparison": "NOT_EMPTY",
      "assertion.target": "",
      degradedResponseTime: "5000",
      maxResponseTime: "20000",
      useGlobalAlertSettings: "on",
    };
    expect(await owner.post(`/checks/${made.id}/edit`, fields)).toMatchObject({ status: 303, location: `/checks/${made.id}` });
    const { request, ...rest } = made;
    const { request: changed, ...kept } = await read(`/checks/${made.id}`);
    expect(kept).toEqual({ ...rest, name: "Store", tags: ["web", "shop"], updated_at: expect.any(String) });
    const [authorization] = request.headers;
    expect(changed).toEqual({
      ...request,
      url: "http://b.example.com/",
      headers: [authorization, { key: "Accept", value: "text/html", locked: false }],
    });
  });

  it("keeps the line ends that a protocol wants, also of a text that changes", async () => {
    const request = { hostname: "mail.example.com", port: 25, data: "EHLO a\r\nQUIT\r\n" };
    const { id } = (await plane.call("POST", "/v1/checks/tcp", { body: { name: "Mail", privateLocations: ["berlin"], request } })).body;
    const fields = formFields((await owner.get(`/checks/${id}/edit`)).text);
    expect((await owner.post(`/checks/${id}/edit`, { ...fields, name: "Mails" })).status).toBe(303);
    expect(await read(`/checks/${id}`)).toMatchObject({ name: "Mails", request });
    expect((await owner.post(`/checks/${id}/edit`, { ...fields, "request.data": "EHLO b\r\nQUIT\r\n" })).status).toBe(303);
    expect((await read(`/checks/${id}`)).request.data).toBe("EHLO b\r\nQUIT\r\n");
  });

  it("tells retries, alerts, the group and a password, and never shows that", async () => {
    const group = (await plane.call("POST", "/v2/check-groups", { body: { name: "Shops" } })).body.id;
    const fields = {
      "request.method": "GET",
      "request.url": "http://a.example.com",
      "request.bodyType": "NONE",
      "request.basicAuth.username": "ada",
      "request.basicAuth.password": "pa55word-of-ada",
      "retryStrategy.type": "LINEAR",
      "retryStrategy.baseBackoffSeconds": "7",
      "retryStrategy.maxRetries": "",
      "retryStrategy.elsewhere": "on",
      groupId: String(group),
      runParallel: "on",
      "alertSettings.escalationType": "TIME_BASED",
      "alertSettings.timeBasedEscalation.minutesFailingThreshold": "15",
    };
    const { location } = await create("API", fields);
    expect(await read(location ?? "")).toMatchObject({
      request: { basicAuth: { username: "ada", password: "pa55word-of-ada" } },
      retryStrategy: { type: "LINEAR", baseBackoffSeconds: 7, maxRetries: 2, sameRegion: false },
      groupId: group,
      runParallel: true,
      useGlobalAlertSettings: false,
      alertSettings: { escalationType: "TIME_BASED", timeBasedEscalation: { minutesFailingThreshold: 15 } },
    });
    const { text } = await owner.get(`${location}/edit`);
    expect(text).not.toContain("pa55word");
    const changed = { ...formFields(text), "retryStrategy.type": "NONE", "request.basicAuth.username": "", groupId: "" };
    expect((await owner.post(`${location}/edit`, changed)).status).toBe(303);
    expect(await read(location ?? "")).toMatchObject({ retryStrategy: null, groupId: null, request: { basicAuth: null } });
    const wrong = await create("API", { ...fields, "retryStrategy.maxRetries": "many" });
    expect([wrong.status, wrong.text.includes('id="retryStrategy.maxRetries-problem"')]).toEqual([400, true]);
  });

  it("keeps what somebody else saved meanwhile, and asks before it replaces what both changed", async () => {
    const { location } = await create("ICMP", { "request.hostname": "a" });
    const edit = `${location}/edit`;
    const shown = formFields((await owner.get(edit)).text);
    const stored = async () => read(location ?? "");
    expect((await owner.post(edit, { ...shown, name: "Renamed" })).status).toBe(303);
    expect((await owner.post(edit, { ...shown, description: "Told" })).status).toBe(303);
    expect(await stored()).toMatchObject({ name: "Renamed", description: "Told" });

    const both = await owner.post(edit, { ...shown, name: "Mine", tags: "web" });
    expect([both.status, both.text.includes("Someone changed this check while you edited it: Name.")]).toEqual([409, true]);
    expect([both.text.includes('value="Mine"'), both.text.includes(`href="${edit}"`)]).toEqual([true, true]);
    expect(await stored()).toMatchObject({ name: "Renamed", tags: ["web", "shop"] });
    const typed = formFields(both.text);
    expect((await owner.post(edit, typed)).status).toBe(409);
    const [, value = ""] = /name="anyway" value="([^"]+)"/.exec(both.text) ?? [];
    const anyway = { ...typed, anyway: value.replaceAll("&quot;", '"') };
    expect((await owner.post(edit, anyway)).status).toBe(303);
    expect(await stored()).toMatchObject({ name: "Mine", tags: ["web"], description: "Told" });
    await owner.post(edit, { ...formFields((await owner.get(edit)).text), name: "Changed once more" });
    expect((await owner.post(edit, anyway)).status).toBe(409);
  });

  it("deletes a check", async () => {
    const { location } = await create("ICMP", { "request.hostname": "a" });
    await owner.get(`${location}/edit`);
    expect(await owner.post(`${location}/delete`)).toMatchObject({ status: 303, location: "/checks?done=delete" });
    expect((await owner.get(location ?? "")).status).toBe(404);
    const late = await owner.post(`${location}/edit`, common);
    expect([late.status, late.text.includes("nothing was saved")]).toEqual([404, true]);
  });

  it("is for those who may write, and for checks of their account", async () => {
    const { location } = await create("ICMP", { "request.hostname": "a" });
    const reader = await joined(plane, owner, "bob@example.com", "READ_RUN");
    expect((await reader.get("/checks")).text).not.toContain("/checks/new");
    expect((await reader.get(location ?? "")).text).not.toContain("/edit");
    for (const path of ["/checks/new", `${location}/edit`]) expect((await reader.get(path)).status).toBe(403);
    for (const path of ["/checks/new", `${location}/edit`, `${location}/delete`])
      expect((await reader.post(path, { type: "ICMP" })).status).toBe(403);
    const { accounts } = plane.context.storage;
    const other = await accounts.create({ uuid: crypto.randomUUID(), name: "other", runtimeId: "2026.04", nowMs: Date.now() });
    const key = await plane.keyFor("OWNER", other.id);
    const { id } = (
      await plane.call("POST", "/v1/checks/icmp", { key, body: { name: "Theirs", locations: ["eu-west-1"], request: { hostname: "a" } } })
    ).body;
    await owner.get("/checks");
    expect((await owner.get(`/checks/${id}/edit`)).status).toBe(404);
    for (const path of ["edit", "delete"]) expect((await owner.post(`/checks/${id}/${path}`, common)).status).toBe(404);
    expect((await plane.call("GET", `/v1/checks/${id}`, { key })).status).toBe(200);
  });
});
