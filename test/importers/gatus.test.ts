import { describe, expect, it } from "vitest";
import { importGatus } from "../../src/importers/gatus/gatus.ts";
import { parsed, passes, secret, sound, told } from "./imported-support.ts";

function endpoint(settings: object) {
  return sound(importGatus(JSON.stringify({ endpoints: [{ name: "e", url: "https://a.example", ...settings }] })));
}
const withCondition = (condition: string, settings: object = {}) => endpoint({ conditions: [condition], ...settings });

describe("a configuration of Gatus", () => {
  const imported = sound(
    importGatus(`
alerting: { slack: { webhook-url: "https://hooks.example/${secret}" } }
storage: { type: memory }
endpoints:
  - name: front
    group: shop
    url: "https://shop.example/health"
    interval: 5m
    headers: { Authorization: "Bearer \${SHOP_TOKEN}", X-Env: "$$prod" }
    client: { timeout: 3s, ignore-redirect: true, insecure: true }
    conditions:
      - "[STATUS] == 200"
      - "[BODY].status == UP"
      - "[RESPONSE_TIME] < 500"
      - "[CERTIFICATE_EXPIRATION] > 48h"
      - "[DOMAIN_EXPIRATION] > 720h"
    alerts: [{ type: slack }]
  - name: search
    url: https://search.example/graphql
    method: POST
    graphql: true
    body: "{ me { id } }"
    enabled: false
    conditions: ["[STATUS] == any(200, 204)"]
  - { name: db, url: "tcp://db.example:5432", conditions: ["[CONNECTED] == true"] }
  - { name: closed, url: "tcp://db.example:5433", conditions: ["[CONNECTED] == false"] }
  - { name: router, url: "icmp://router.example", interval: 30s, conditions: ["[CONNECTED] == true", "[RESPONSE_TIME] < 20"] }
  - { name: dns, url: "8.8.8.8", dns: { query-name: example.com, query-type: A }, conditions: ["[DNS_RCODE] == NOERROR", "[BODY] == 192.0.2.1"] }
  - { name: ldaps, url: "tls://ldap.example:636", conditions: ["[CONNECTED] == true", "[CERTIFICATE_EXPIRATION] > 240h"] }
  - { name: mail, url: "starttls://mail.example:587", conditions: ["[CONNECTED] == true"] }
  - { name: shell, url: "ssh://host.example:22", ssh: { username: u, password: ${secret} }, conditions: ["[CONNECTED] == true"] }
external-endpoints:
  - { name: backup, group: jobs, token: ${secret}, heartbeat: { interval: 24h } }
  - { name: pushed, token: ${secret} }
`),
  );
  const check = (name: string) => parsed(imported.checks.find((one) => one.name === name));

  it("gives a check per endpoint, and one more for a certificate", () => {
    expect(imported.checks.map(({ checkType, name }) => `${checkType} ${name}`)).toEqual([
      "API shop: front",
      "SSL shop: front, certificate",
      "API search",
      "TCP db",
      "TCP closed",
      "ICMP router",
      "DNS dns",
      "SSL ldaps",
      "SSL mail",
      "HEARTBEAT jobs: backup",
    ]);
  });

  it("says in each what the endpoint says", () => {
    expect(check("shop: front")).toMatchObject({
      tags: ["shop"],
      frequency: 5,
      maxResponseTime: 3000,
      request: {
        url: "https://shop.example/health",
        followRedirects: false,
        skipSSL: true,
        headers: [
          { key: "Authorization", value: "Bearer {{{SHOP_TOKEN}}}", locked: true },
          { key: "X-Env", value: "$prod", locked: false },
        ],
      },
    });
    expect(check("shop: front, certificate")).toMatchObject({
      frequency: 5,
      request: {
        sslConfig: { hostname: "shop.example", port: 443, skipChainValidation: true, securityBaseline: { enabled: false } },
        assertions: [{ source: "CERTIFICATE", property: "daysUntilExpiry", comparison: "GREATER_THAN", target: "1" }],
      },
    });
    expect(check("search")).toMatchObject({
      activated: false,
      frequency: 1,
      maxResponseTime: 10_000,
      request: { method: "POST", bodyType: "JSON", body: '{"query":"{ me { id } }"}' },
    });
    expect(check("db")).toMatchObject({ shouldFail: false, request: { hostname: "db.example", port: 5432, assertions: [] } });
    expect(check("closed").shouldFail).toBe(true);
    expect(check("router")).toMatchObject({ frequency: 0, frequencyOffset: 30, request: { hostname: "router.example", pingCount: 1 } });
    expect(check("dns").request).toMatchObject({ query: "example.com", recordType: "A", nameServer: "8.8.8.8" });
    expect(check("ldaps").request.sslConfig).toMatchObject({ hostname: "ldap.example", port: 636, startTls: null });
    expect(check("mail").request.sslConfig).toMatchObject({ port: 587, startTls: "smtp" });
    expect(check("jobs: backup").heartbeat).toMatchObject({ period: 24, periodUnit: "hours", grace: 0 });
  });

  it("tells what no check says", () => {
    expect(told(imported)).toEqual([
      "alerting: left out: it is no endpoint",
      "storage: left out: it is no endpoint",
      "endpoints[0]: needs environment variables of these names: SHOP_TOKEN",
      "endpoints[0].alerts: left out: no check has such a setting",
      "endpoints[0].conditions[4]: left out: no assertion of this check type says this of [DOMAIN_EXPIRATION]",
      "endpoints[8].ssh: left out: no check has such a setting",
      "endpoints[8].url: left out: only http, https, tcp, icmp, tls, starttls and DNS endpoints become checks",
      "external-endpoints[0]: becomes a heartbeat: its sender must call the new ping URL instead of Gatus",
      "external-endpoints[1]: left out: an external endpoint becomes a heartbeat only by its heartbeat.interval",
    ]);
  });

  it("tells of variables where no agent fills them in", () => {
    const conditions = ["[BODY] == ${WORD}"];
    expect(told(endpoint({ url: "https://${HOST}/", conditions }))).toEqual([
      "endpoints[0]: needs environment variables of these names: HOST, WORD",
      "endpoints[0]: write in the value of WORD: assertions have no templates",
    ]);
    expect(told(endpoint({ url: "tcp://${DB}:5432" }))).toEqual([
      "endpoints[0]: needs environment variables of these names: DB",
      "endpoints[0]: write in the value of DB: checks of type TCP have no templates",
    ]);
  });

  it("is refused without endpoints", () => {
    expect(() => importGatus("storage: {}")).toThrow("no endpoints");
  });
});

describe("a condition of Gatus on an HTTP endpoint", () => {
  const json = (value: unknown) => ({ body: JSON.stringify(value) });

  it.each([
    ["[STATUS] == 200", { statusCode: 200 }, { statusCode: 201 }],
    ["[STATUS] != 500", { statusCode: 404 }, { statusCode: 500 }],
    ["[STATUS] < 300", { statusCode: 299 }, { statusCode: 300 }],
    ["[STATUS] <= 300", { statusCode: 300 }, { statusCode: 301 }],
    ["[STATUS] >= 200", { statusCode: 200 }, { statusCode: 199 }],
    ["300 > [STATUS]", { statusCode: 299 }, { statusCode: 300 }],
    ["[STATUS] == any(401, 429)", { statusCode: 429 }, { statusCode: 403 }],
    ["[STATUS] == any(200, 203)", { statusCode: 203 }, { statusCode: 201 }],
    ["[RESPONSE_TIME] < 500", { responseTimeMs: 499 }, { responseTimeMs: 500 }],
    ["[RESPONSE_TIME] <= 1s", { responseTimeMs: 1000 }, { responseTimeMs: 1001 }],
    ["[BODY] == OK", { body: " OK\n" }, { body: "OK!" }],
    ["[BODY] != OK", { body: "no" }, { body: "OK" }],
    ["[BODY] == pat(*<h1>Hi?</h1>*)", { body: "<b>\n<h1>Hi!</h1>" }, { body: "<h1>Hi</h1>" }],
    ["[BODY] != pat(*error*)", { body: "fine" }, { body: "an error\noccurred" }],
    ["[BODY] == any(OK, up)", { body: "up" }, { body: "down" }],
    ["len([BODY]) > 0", { body: "[1]" }, { body: " [ ]" }],
    ["[BODY].status == UP", json({ status: "UP" }), json({ status: "DOWN" })],
    ["[BODY].data[1].id == 7", json({ data: [{}, { id: 7 }] }), json({ data: [{ id: 7 }] })],
    ["[BODY][0].id == 7", json([{ id: 7 }]), json([])],
    ["[BODY].a-b.c == it's", json({ "a-b": { c: "it's" } }), json({ "a-b": {} })],
    ["[BODY].n > 5", json({ n: 6 }), json({ n: 5 })],
    ["[BODY].n >= 5", json({ n: 5 }), json({ n: 4 })],
    ["[BODY].x == any(a, 2)", json({ x: 2 }), json({ x: 3 })],
    ["[BODY].x == any(it's, b)", json({ x: "it's" }), json({ x: "c" })],
    ["[BODY].x != any(a, b)", json({ x: "c" }), json({ x: "a" })],
    ["[BODY].x == pat(v1.*)", json({ x: "v1.2" }), json({ x: "v10" })],
    ["len([BODY].data) > 0", json({ data: [0] }), json({ data: [] })],
    ["len([BODY].name) == 4", json({ name: "john" }), json({ name: "jo" })],
    ["len([BODY].data) < 3", json({ data: [1, 2] }), json({ data: [1, 2, 3] })],
    ["has([BODY].errors) == false", json({ a: 1 }), json({ errors: [] })],
    ["has([BODY].a) == true", json({ a: null }), json({ b: 1 })],
    ["has([BODY].a) != true", json({ b: 1 }), json({ a: 1 })],
  ])("%s", (condition, good, bad) => {
    const { checks, warnings } = withCondition(condition);
    expect(warnings).toEqual([]);
    expect([passes(checks[0], good), passes(checks[0], bad)]).toEqual([true, false]);
  });

  it("on something else lets any status pass, as Gatus does", () => {
    expect(passes(withCondition("[BODY] == x").checks[0], { statusCode: 500, body: "x" })).toBe(true);
  });

  it("on statuses that lie far apart lets those between pass too, and tells", () => {
    const { checks, warnings } = withCondition("[STATUS] == any(200, 429)");
    expect(warnings).toEqual([{ where: "endpoints[0].conditions[0]", message: expect.stringContaining("far apart") }]);
    expect([200, 301, 429, 430].map((statusCode) => passes(checks[0], { statusCode }))).toEqual([true, true, true, false]);
  });

  it.each([
    ["[IP] == 192.0.2.1", "[IP]"],
    ["[CONNECTED] == false", "[CONNECTED]"],
    ["len([BODY]) == 4", "[BODY]"],
    ["[BODY].a.b..c == 4", "[BODY]"],
    ["[STATUS] == any(a)", "[STATUS]"],
    [`[SECRET] == ${secret}`, "[SECRET]"],
    ["[BODY] == [STATUS]", "no comparison"],
    [secret, "no comparison"],
  ])("%s is told", (condition, message) => {
    const { warnings } = withCondition(condition);
    expect(warnings).toEqual([{ where: "endpoints[0].conditions[0]", message: expect.stringContaining(message) }]);
  });

  it("on a certificate counts whole days", () => {
    const { checks, warnings } = withCondition("[CERTIFICATE_EXPIRATION] > 36h", { url: "https://[::1]:8443/x" });
    expect(parsed(checks[1]).request).toMatchObject({ sslConfig: { hostname: "::1", port: 8443 }, assertions: [{ target: "1" }] });
    expect(warnings[0]?.message).toContain("less than 2 days");
  });
});

describe("a condition of Gatus on another endpoint", () => {
  it.each([
    ["tcp://a.example:6379", "[RESPONSE_TIME] < 50", { responseTimeMs: 49 }, { responseTimeMs: 50 }],
    ["tcp://a.example:6379", "[BODY] == pat(*PONG*)", { body: "+PONG\r\n" }, { body: "-ERR" }],
    ["icmp://a.example", "[RESPONSE_TIME] < 50", { fields: { LATENCY: { avg: 49.9 } } }, { fields: { LATENCY: { avg: 50.1 } } }],
    ["icmp://a.example", "[IP] == 192.0.2.1", { json: () => ({ resolvedIp: "192.0.2.1" }) }, { json: () => ({ resolvedIp: "192.0.2.2" }) }],
    [
      "tls://a.example:443",
      "[CERTIFICATE_EXPIRATION] > 48h",
      { fields: { CERTIFICATE: { daysUntilExpiry: 2 } } },
      { fields: { CERTIFICATE: { daysUntilExpiry: 1 } } },
    ],
  ])("%s: %s", (url, condition, good, bad) => {
    const { checks, warnings } = withCondition(condition, { url });
    expect(warnings).toEqual([]);
    expect([passes(checks[0], good), passes(checks[0], bad)]).toEqual([true, false]);
  });

  const records = (...data: string[]) => ({
    responseCode: "NOERROR",
    json: () => ({ Answer: data.map((one) => ({ data: one })), TC: false }),
  });
  it.each([
    ["A", "[DNS_RCODE] == NXDOMAIN", { responseCode: "NXDOMAIN" }, { responseCode: "NOERROR" }],
    ["A", "[BODY] == 192.0.2.2", records("192.0.2.1", "192.0.2.2"), records("192.0.2.1")],
    ["A", "[BODY] == pat(192.0.2.*)", records("192.0.2.2"), records("192.0.3.1")],
    ["A", "[BODY] == any(192.0.2.1, 192.0.2.2)", records("192.0.2.2"), records("192.0.2.3")],
    ["MX", "[BODY] == mail.example.com.", records("10 mail.example.com."), records("10 mail2.example.com.")],
    ["NS", "[BODY] != pat(*.old.example.)", records("ns.new.example."), records("ns.old.example.")],
  ])("%s records: %s", (type, condition, good, bad) => {
    const { checks, warnings } = withCondition(condition, {
      url: "dns://9.9.9.9:53",
      dns: { "query-name": "example.com", "query-type": type },
    });
    expect(warnings).toEqual([]);
    expect([passes(checks[0], good), passes(checks[0], bad)]).toEqual([true, false]);
  });

  it("passes any response code that no condition is about", () => {
    const { checks } = withCondition("[RESPONSE_TIME] < 100", { url: "9.9.9.9", dns: { "query-name": "x.example", "query-type": "A" } });
    expect(passes(checks[0], { responseCode: "NXDOMAIN" })).toBe(true);
  });
});
