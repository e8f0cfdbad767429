import { describe, expect, it } from "vitest";
import { importKuma } from "../../src/importers/kuma/kuma.ts";
import { parsed, passes, secret, sound, told } from "./imported-support.ts";

const http = { type: "http", url: "https://shop.example/health", method: "GET", interval: 60, maxretries: 0, active: true };

function monitors(...monitorList: readonly object[]) {
  return sound(importKuma(JSON.stringify({ version: "1.23.0", notificationList: [], monitorList })));
}

describe("a backup of Uptime Kuma", () => {
  const imported = sound(
    importKuma(
      JSON.stringify({
        version: "1.23.16",
        notificationList: [{ id: 1, name: "Chat", config: `{"webhookURL":"https://hooks.example/${secret}"}` }],
        monitorList: [
          { id: 1, type: "group", name: "Shop" },
          { id: 2, type: "group", name: "Front", parent: 1 },
          {
            ...http,
            id: 3,
            parent: 2,
            name: "health",
            interval: 300,
            timeout: 20,
            maxretries: 3,
            retryInterval: 30,
            maxredirects: 0,
            ignoreTls: true,
            expiryNotification: true,
            accepted_statuscodes: ["200-204", "206"],
            headers: `{"Authorization":"Bearer ${secret}","X-Team":"shop"}`,
            basic_auth_user: "ada",
            basic_auth_pass: secret,
            tags: [{ name: "env", value: "prod" }, { name: "shop" }],
            description: " what people see ",
          },
          {
            ...http,
            id: 4,
            name: "search",
            type: "keyword",
            keyword: "ready",
            active: 0,
            method: "post",
            body: '{"q":1}',
            httpBodyEncoding: "json",
          },
          { ...http, id: 5, name: "not down", type: "keyword", keyword: "down", invertKeyword: true },
          { ...http, id: 6, name: "version", type: "json-query", jsonPath: "app.versions[0].name", expectedValue: "2" },
          { ...http, id: 7, name: "sum", type: "json-query", jsonPath: "$sum(prices)", expectedValue: "2" },
          { id: 8, name: "db", type: "port", hostname: "db.example", port: 5432, interval: 20 },
          { id: 9, name: "telnet", type: "port", hostname: "db.example", port: 23, upsideDown: true },
          { id: 10, name: "router", type: "ping", hostname: "router.example" },
          {
            id: 11,
            name: "name",
            type: "dns",
            hostname: "shop.example",
            dns_resolve_type: "MX",
            dns_resolve_server: "192.0.2.1,192.0.2.2",
            port: 53,
          },
          {
            id: 12,
            name: "orders",
            type: "grpc-keyword",
            grpcUrl: "orders.example:50051",
            grpcServiceName: "Health",
            grpcMethod: "check",
            grpcProtobuf: 'syntax = "proto3";',
            grpcBody: "{}",
            keyword: "SERVING",
          },
          { id: 13, name: "backup", type: "push", pushToken: secret, interval: 86_400, maxretries: 2, retryInterval: 60 },
          { id: 14, name: "cache", type: "redis", databaseConnectionString: `redis://:${secret}@cache` },
          { ...http, id: 15, name: "must be down", upsideDown: 1 },
        ],
      }),
    ),
  );
  const check = (name: string) => parsed(imported.checks.find((one) => one.name === name));

  it("gives a check per monitor, under the names of its groups", () => {
    expect(imported.checks.map(({ checkType, name }) => `${checkType} ${name}`)).toEqual([
      "API Shop: Front: health",
      "SSL Shop: Front: health, certificate",
      "API search",
      "API not down",
      "API version",
      "API sum",
      "TCP db",
      "TCP telnet",
      "ICMP router",
      "DNS name",
      "GRPC orders",
      "HEARTBEAT backup",
    ]);
  });

  it("carries over what a request sends, and when it is sent again", () => {
    expect(check("Shop: Front: health")).toMatchObject({
      frequency: 5,
      maxResponseTime: 20_000,
      retryStrategy: { type: "FIXED", baseBackoffSeconds: 30, maxRetries: 3 },
      tags: ["Shop", "Front", "env:prod", "shop"],
      description: "what people see",
      request: {
        followRedirects: false,
        skipSSL: true,
        basicAuth: { username: "ada", password: secret },
        headers: [
          { key: "Authorization", locked: true },
          { key: "X-Team", value: "shop" },
        ],
      },
    });
    expect(check("search")).toMatchObject({
      activated: false,
      retryStrategy: null,
      request: { method: "POST", body: '{"q":1}', bodyType: "JSON" },
    });
    expect(check("telnet").shouldFail).toBe(true);
    expect(check("db")).toMatchObject({ frequency: 0, frequencyOffset: 20 });
    expect(check("name").request).toMatchObject({ recordType: "MX", nameServer: "192.0.2.1", port: 53 });
    expect(check("orders").request).toMatchObject({ url: "orders.example", port: 50_051, grpcConfig: { method: "check", tls: false } });
    expect(check("backup").heartbeat).toMatchObject({ period: 86_400, periodUnit: "seconds", grace: 120, graceUnit: "seconds" });
  });

  it("passes what Kuma passes", () => {
    const find = (name: string) => imported.checks.find((one) => one.name === name);
    for (const [statusCode, isUp] of [
      [200, true],
      [204, true],
      [206, true],
      [205, false],
      [404, false],
    ] as const)
      expect([statusCode, passes(find("Shop: Front: health"), { statusCode })]).toEqual([statusCode, isUp]);
    expect(passes(find("search"), { body: "all is ready" })).toBe(true);
    expect(passes(find("search"), { body: "all is lost" })).toBe(false);
    expect(passes(find("not down"), { body: "it is down" })).toBe(false);
    expect(passes(find("version"), { body: '{"app":{"versions":[{"name":"2"}]}}' })).toBe(true);
    expect(passes(find("version"), { body: '{"app":{"versions":[{"name":"3"}]}}' })).toBe(false);
  });

  it("tells what it leaves out", () => {
    expect(told(imported)).toEqual([
      "notificationList: left out: create alert channels",
      expect.stringMatching(/^monitorList\[6\]\.jsonPath: left out/),
      "monitorList[10].dns_resolve_server: only the first server is asked",
      expect.stringMatching(/^monitorList\[12\]: becomes a heartbeat/),
      expect.stringMatching(/^monitorList\[13\]\.type: left out/),
      expect.stringMatching(/^monitorList\[14\]\.upsideDown: left out/),
    ]);
  });

  it("reads groups in themselves, and refuses what is no backup", () => {
    const { checks } = monitors(
      { id: 1, type: "group", name: "a", parent: 2 },
      { id: 2, type: "group", name: "b", parent: 1 },
      { ...http, name: "c", parent: 1 },
    );
    expect(checks.map(({ name }) => name)).toEqual(["b: a: c"]);
    for (const text of ["", "{}", "[]", '{"monitorList":[]}', '{"monitorList":"x"}']) expect(() => importKuma(text)).toThrow("monitorList");
  });
});
