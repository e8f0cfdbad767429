import { describe, expect, it } from "vitest";
import { importBlackbox } from "../../src/importers/blackbox/blackbox.ts";
import { parsed, passes, secret, sound, told } from "./imported-support.ts";

/** A module with one target. */
function probe(module: object, target: string) {
  const job = { job_name: "j", metrics_path: "/probe", params: { module: ["m"] }, static_configs: [{ targets: [target] }] };
  return sound(importBlackbox(JSON.stringify({ modules: { m: module }, scrape_configs: [job] })));
}
const http = (settings: object, target = "https://a.example/x") => probe({ prober: "http", http: settings }, target);

describe("a configuration of blackbox_exporter with one of Prometheus", () => {
  const imported = sound(
    importBlackbox(`
modules:
  http_2xx:
    prober: http
    timeout: 5s
    http:
      preferred_ip_protocol: ip4
  internal_api:
    prober: http
    http:
      method: POST
      headers: { Content-Type: application/json, X-Token: ${secret} }
      body: '{"q":1}'
      valid_status_codes: [200, 202]
      basic_auth: { username: prober, password: ${secret} }
      proxy_url: http://proxy.example
      tls_config: { insecure_skip_verify: true, ca_file: /etc/ca.pem }
  smtp_banner:
    prober: tcp
    timeout: 20s
    tcp:
      query_response: [{ expect: "^220 ([^ ]+) ESMTP" }, { send: "QUIT" }]
  resolver:
    prober: dns
    dns:
      query_name: example.com.
      query_type: A
      transport_protocol: tcp
      validate_answer_rrs:
        fail_if_not_matches_regexp: ['.*\\t93\\.184\\..*']
  ping: { prober: icmp }
  unused: { prober: http }
  rpc: { prober: grpc, timeout: 2500ms, grpc: { service: shop.Orders, tls: true, tls_config: { insecure_skip_verify: true } } }
  grpc: { prober: grpc }
  other: { prober: unix }
---
global: { scrape_interval: 30s }
scrape_configs:
  - { job_name: node, static_configs: [{ targets: [localhost:9100] }] }
  - job_name: web
    metrics_path: /probe
    params: { module: [http_2xx] }
    scrape_interval: 90s
    static_configs:
      - targets: [shop.example/health, "https://u:${secret}@www.shop.example/?key=${secret}"]
        labels: { env: prod, __meta: x }
    file_sd_configs: [{ files: [more.json] }]
  - { job_name: api, params: { module: [internal_api] }, static_configs: [{ targets: ["https://api.example"] }] }
  - { job_name: mail, params: { module: [smtp_banner] }, static_configs: [{ targets: ["mail.example:25", mail.example] }] }
  - { job_name: dns, params: { module: [resolver] }, static_configs: [{ targets: ["9.9.9.9", "[2620:fe::fe]:5353"] }] }
  - { job_name: ping, params: { module: [ping] }, static_configs: [{ targets: [router.example] }] }
  - { job_name: rpc, params: { module: [grpc] }, static_configs: [{ targets: ["rpc.example:50051", rpc.example] }] }
  - { job_name: tls, params: { module: [rpc] }, static_configs: [{ targets: ["[::1]:443"] }] }
  - { job_name: other, params: { module: [other] }, static_configs: [{ targets: [x:1] }] }
  - { job_name: lost, metrics_path: /probe, params: { module: [gone] }, static_configs: [{ targets: [x] }] }
`),
  );
  const check = (name: string) => parsed(imported.checks.find((one) => one.name === name));

  it("gives a check per target", () => {
    expect(imported.checks.map(({ checkType, name }) => `${checkType} ${name}`)).toEqual([
      "API http_2xx shop.example/health",
      "API http_2xx www.shop.example/",
      "API internal_api api.example",
      "TCP smtp_banner mail.example:25",
      "DNS resolver 9.9.9.9",
      "DNS resolver [2620:fe::fe]:5353",
      "ICMP ping router.example",
      "GRPC grpc rpc.example:50051",
      "GRPC rpc [::1]:443",
    ]);
  });

  it("says in each what its module says", () => {
    expect(check("http_2xx shop.example/health")).toMatchObject({
      tags: ["env:prod"],
      frequency: 1,
      maxResponseTime: 5000,
      request: { method: "GET", url: "http://shop.example/health", followRedirects: true, ipFamily: "IPv4" },
    });
    expect(check("http_2xx www.shop.example/").request).toMatchObject({
      url: `https://www.shop.example/?key=${secret}`,
      basicAuth: { username: "u", password: secret },
    });
    expect(check("internal_api api.example")).toMatchObject({
      frequency: 0,
      frequencyOffset: 30,
      request: {
        method: "POST",
        body: '{"q":1}',
        bodyType: "JSON",
        headers: [{ key: "X-Token", value: secret, locked: true }],
        skipSSL: true,
        basicAuth: { username: "prober", password: secret },
      },
    });
    expect(check("smtp_banner mail.example:25")).toMatchObject({
      maxResponseTime: 5000,
      request: { hostname: "mail.example", port: 25, expect: "^220 ([^ ]+) ESMTP", data: null },
    });
    expect(check("resolver 9.9.9.9").request).toMatchObject({
      query: "example.com",
      recordType: "A",
      nameServer: "9.9.9.9",
      protocol: "TCP",
    });
    expect(check("resolver [2620:fe::fe]:5353").request).toMatchObject({ nameServer: "2620:fe::fe", port: 5353 });
    expect(check("grpc rpc.example:50051").request).toMatchObject({
      url: "rpc.example",
      port: 50_051,
      timeout: null,
      grpcConfig: { mode: "HEALTH", tls: false, service: "" },
    });
    expect(check("rpc [::1]:443").request).toMatchObject({
      url: "::1",
      port: 443,
      timeout: 3,
      skipSSL: true,
      grpcConfig: { mode: "HEALTH", tls: true, service: "shop.Orders" },
    });
    expect(check("ping router.example").request).toMatchObject({ hostname: "router.example", pingCount: 1 });
  });

  it("tells what no check says", () => {
    expect(told(imported)).toEqual([
      "scrape_configs[1].file_sd_configs: left out: only targets of static_configs stand in the file",
      "scrape_configs[9].params.module: left out: no such module is in the file",
      "scrape_configs of web: no check runs exactly that often: it becomes every minute",
      "modules.internal_api.http.proxy_url: left out: no check has such a setting",
      "modules.internal_api.http.tls_config.ca_file: left out: authorities are known to the agent, client certificates are configured by host",
      "modules.smtp_banner.tcp.query_response: a check sends once and then reads: what follows the first answer is left out",
      "modules.smtp_banner.timeout: the time-out is longer than a check of type TCP takes: it becomes 5 seconds",
      "scrape_configs[3].static_configs[0].targets[1]: left out: a TCP target is host:port",
      "scrape_configs[6].static_configs[0].targets[1]: left out: a gRPC target is host:port",
      "modules.other.prober: left out: only http, tcp, dns, icmp and grpc become checks",
      "modules.unused: no target of a Prometheus job in this file uses it, so there is nothing to check",
    ]);
  });

  it("is refused without modules", () => {
    expect(() => importBlackbox("scrape_configs: []")).toThrow("no modules");
  });
});

describe("a module of the http prober", () => {
  it.each([
    [{}, { statusCode: 204 }, true],
    [{}, { statusCode: 301 }, false],
    [{ valid_status_codes: [200, 204, 404] }, { statusCode: 404 }, true],
    [{ valid_status_codes: [200, 204, 404] }, { statusCode: 203 }, true], // told: the list has too many gaps
    [{ valid_status_codes: [200, 204] }, { statusCode: 203 }, false],
    [{ valid_status_codes: [200, 204] }, { statusCode: 204 }, true],
    [{ fail_if_body_matches_regexp: ["down|(fai)led"] }, { body: "it is down" }, false],
    [{ fail_if_body_matches_regexp: ["down|(fai)led"] }, { body: "it is up" }, true],
    [{ fail_if_body_not_matches_regexp: ["^ok", "v[0-9]+"] }, { body: "ok v2" }, true],
    [{ fail_if_body_not_matches_regexp: ["^ok", "v[0-9]+"] }, { body: "ok" }, false],
    [{ fail_if_header_matches: [{ header: "X-Cache", regexp: "^MISS" }] }, { headers: { "x-cache": "HIT" } }, true],
    [{ fail_if_header_matches: [{ header: "X-Cache", regexp: "^MISS" }] }, { headers: { "x-cache": "MISS" } }, false],
    [{ fail_if_header_matches: [{ header: "X-Cache", regexp: "^MISS" }] }, {}, false],
    [{ fail_if_header_matches: [{ header: "X-Cache", regexp: "^MISS", allow_missing: true }] }, {}, true],
    [{ fail_if_header_not_matches: [{ header: "Server", regexp: "nginx" }] }, { headers: { server: "nginx/1" } }, true],
    [{ fail_if_header_not_matches: [{ header: "Server", regexp: "nginx" }] }, {}, false],
  ])("%j holds for %j: %s", (settings, seen, expected) => {
    expect(passes(http(settings).checks[0], seen)).toBe(expected);
  });

  it.each([
    [{ follow_redirects: false }, { followRedirects: false }],
    [{ no_follow_redirects: true }, { followRedirects: false }],
    [{ preferred_ip_protocol: "ip6" }, { ipFamily: "IPv6" }],
    [{ authorization: { credentials: secret } }, { headers: [{ key: "Authorization", value: `Bearer ${secret}`, locked: true }] }],
    [{ bearer_token_file: "/t" }, { headers: [{ key: "Authorization", value: "Bearer {{BLACKBOX_M_TOKEN}}", locked: true }] }],
    [{ basic_auth: { username: "u", password_file: "/p" } }, { basicAuth: { username: "u", password: "{{BLACKBOX_M_PASSWORD}}" } }],
    [
      { http_headers: { "X-A": { values: ["1"], secrets: [secret] } } },
      {
        headers: [
          { key: "X-A", value: "1" },
          { key: "X-A", value: secret, locked: true },
        ],
      },
    ],
    [
      { method: "POST", body: "a" },
      { bodyType: "RAW", body: "a" },
    ],
  ])("%j becomes %j", (settings, request) => {
    expect(parsed(http(settings).checks[0]).request).toMatchObject(request);
  });

  it.each([
    [{ fail_if_ssl: true }, "modules.m.http.fail_if_ssl"],
    [{ valid_http_versions: ["HTTP/2.0"] }, "modules.m.http.valid_http_versions"],
    [{ oauth2: { client_secret: secret } }, "modules.m.http.oauth2"],
    [{ body_file: "/b" }, "modules.m.http.body_file"],
    [{ valid_status_codes: [200, 404] }, "modules.m.http.valid_status_codes"],
    [{ fail_if_body_matches_regexp: ["(?=look)"] }, "scrape_configs[0].static_configs[0].targets[0]"],
  ])("%j is told at %s", (settings, where) => {
    expect(http(settings).warnings.map((warning) => warning.where)).toEqual([where]);
  });
});

describe("a module of the dns prober", () => {
  const answers = "example.com.\t\t300\tIN\tA\t192.0.2.1\nexample.com.\t\t300\tIN\tA\t192.0.2.2";
  const dns = (settings: object) => probe({ prober: "dns", dns: { query_name: "example.com", query_type: "A", ...settings } }, "9.9.9.9");
  const rules = (validate: object) => dns({ validate_answer_rrs: validate }).checks[0];
  const seen = { responseCode: "NOERROR", body: answers };

  it.each([
    [{ fail_if_matches_regexp: ["192\\.0\\.2\\.9$"] }, true],
    [{ fail_if_matches_regexp: ["A\\t192\\.0\\.2\\.2$"] }, false],
    [{ fail_if_not_matches_regexp: ["^example\\.com\\..*192\\.0\\.2\\.[12]$"] }, true],
    [{ fail_if_not_matches_regexp: ["192\\.0\\.2\\.1"] }, false],
    [{ fail_if_all_match_regexp: ["192\\.0\\.2\\.1"] }, true],
    [{ fail_if_all_match_regexp: ["192\\.0\\.2"] }, false],
    [{ fail_if_none_matches_regexp: ["nothing", "\\.2$"] }, true],
    [{ fail_if_none_matches_regexp: ["nothing"] }, false],
  ])("%j holds for two addresses: %s", (validate, expected) => {
    expect(passes(rules(validate), seen)).toBe(expected);
  });

  it.each([
    [{}, "NOERROR", true],
    [{}, "NXDOMAIN", false],
    [{ valid_rcodes: ["NXDOMAIN"] }, "NXDOMAIN", true],
    [{ valid_rcodes: ["NOERROR", "NXDOMAIN"] }, "NXDOMAIN", true],
    [{ valid_rcodes: ["NOERROR", "NXDOMAIN"] }, "SERVFAIL", false],
  ])("%j holds for %s: %s", (settings, responseCode, expected) => {
    const Status = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN"].indexOf(responseCode);
    expect(passes(dns(settings).checks[0], { responseCode, json: () => ({ Status, TC: false, Answer: [] }) })).toBe(expected);
  });

  it("asks over TLS where the module does, and cannot ask for everything", () => {
    expect(parsed(dns({ dns_over_tls: true, tls_config: { insecure_skip_verify: true } }).checks[0]).request).toMatchObject({
      protocol: "DOT",
      skipSSL: true,
    });
    const any = dns({ query_type: undefined });
    expect(any.checks).toEqual([]);
    expect(told(any).join()).toContain("modules.m.dns.query_type: left out");
  });
});

describe("a module of the tcp prober", () => {
  const tcp = (settings: object, target = "a.example:143") => probe({ prober: "tcp", tcp: settings }, target);

  it.each([
    [{}, { data: null, expect: null, assertions: [] }],
    [
      { tls: true, tls_config: { insecure_skip_verify: true } },
      { tls: true, skipSSL: true },
    ],
    [{ query_response: [{ send: "PING" }, { expect: "PONG" }] }, { data: "PING\n", expect: "PONG" }],
    [{ query_response: [{ starttls: true }] }, { startTls: "imap", data: null }],
  ])("%j becomes %j", (settings, request) => {
    expect(parsed(tcp(settings).checks[0]).request).toMatchObject(request);
  });

  it("wants what it expects", () => {
    const [check] = tcp({ query_response: [{ send: "PING" }, { expect: "^P(O)NG" }] }).checks;
    expect(passes(check, { body: "PONG\n" })).toBe(true);
    expect(passes(check, { body: "ERR PONG" })).toBe(false);
  });

  it("takes addresses in brackets", () => {
    expect(parsed(tcp({}, "[::1]:25").checks[0]).request).toMatchObject({ hostname: "::1", port: 25 });
  });
});
