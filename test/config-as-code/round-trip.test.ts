import { afterAll, describe, expect, it } from "vitest";
import { createClient } from "#contract/client.ts";
import { readAccount } from "../../src/config-as-code/account-state.ts";
import { applySteps } from "../../src/config-as-code/apply.ts";
import { danglingReferences, fileOf, readConfigFile } from "../../src/config-as-code/file.ts";
import { missingSecrets, planOf } from "../../src/config-as-code/plan.ts";
import { planText } from "../../src/config-as-code/plan-text.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";

const opened: ControlPlaneUnderTest[] = [];
afterAll(async () => {
  for (const one of opened) await one[Symbol.asyncDispose]();
});

async function installation() {
  const one = await controlPlaneUnderTest();
  opened.push(one);
  const client = createClient({ baseUrl: one.base, apiKey: one.ownerKey });
  const made = async (path: string, body: object) => {
    const answer = await one.call("POST", path, { body });
    if (answer.status > 201) throw new Error(`${path}: ${answer.text}`);
    return answer.body;
  };
  const apply = async (text: string, { prune = false, env = {} }: { prune?: boolean; env?: Record<string, string> } = {}) => {
    const wanted = readConfigFile(text, env);
    const state = await readAccount(client);
    expect(danglingReferences(wanted, state)).toEqual([]);
    const steps = planOf(wanted, state, prune);
    await applySteps(client, steps, state);
    return planText(steps, false);
  };
  return { ...one, client, made, apply, exported: async () => fileOf(await readAccount(client)) };
}

/** One object of every section at least, with every kind of reference between them. */
async function furnished() {
  const one = await installation();
  const { made } = one;
  await one.call("PATCH", "/v1/accounts/me", { body: { name: "Acme", settings: { timeZone: "Europe/Berlin" } } });
  await made("/v1/private-locations", { name: "Berlin", slugName: "berlin", icon: "home" });
  const snippet = await made("/v1/snippets", { name: "Log in", script: "request.headers.push({});\n" });
  await made("/v1/variables", { key: "BASE", value: "https://example.com" });
  await made("/v1/variables", { key: "TOKEN", value: "0123456789abcdef", secret: true, locked: true });
  const mail = await made("/v1/alert-channels", { type: "EMAIL", config: { address: "on-call@example.com" }, sendDegraded: false });
  const hook = await made("/v1/alert-channels", {
    type: "WEBHOOK",
    config: {
      name: "Chat",
      url: "https://chat.example.com/hook",
      webhookSecret: "hook-secret-1",
      headers: [{ key: "x-key", value: "locked-value", locked: true }],
    },
  });
  const service = await made("/v1/status-pages/services", { name: "Checkout" });
  const strict = await made("/v1/check-groups?autoAssignAlerts=false", {
    name: "Strict",
    locations: ["eu-west-1"],
    retryStrategy: null,
    setupSnippetId: snippet.id,
    alertChannelSubscriptions: [{ alertChannelId: mail.id, activated: true }],
    environmentVariables: [{ key: "DEPTH", value: "3", locked: false, secret: true }],
  });
  await made("/v2/check-groups?autoAssignAlerts=false", { name: "Loose", runParallel: true });
  await made(
    "/v1/checks/api",
    apiCheck({
      name: "Front page",
      groupId: strict.id,
      privateLocations: ["berlin"],
      tearDownSnippetId: snippet.id,
      alertChannelSubscriptions: [{ alertChannelId: hook.id, activated: false }],
      triggerIncident: { serviceId: service.id, severity: "MAJOR", name: "Down", description: "It is down", notifySubscribers: true },
    }),
  );
  await made("/v1/checks/api?autoAssignAlerts=false", apiCheck({ name: "Front page", frequency: 0, frequencyOffset: 20 }));
  await made("/v1/checks/tcp", { name: "Mail", locations: ["eu-west-1"], request: { hostname: "mail.example.com", port: 25 } });
  const grpcConfig = {
    service: "shop.v1.Orders",
    method: "Get",
    message: '{"id": "42"}',
    protoContent: 'syntax = "proto3";\npackage shop.v1;\n',
    metadata: [{ key: "authorization", value: "Bearer call-token" }],
  };
  await made("/v1/checks/grpc", { name: "Orders", locations: ["eu-west-1"], request: { url: "grpc.example.com", grpcConfig } });
  const hops = [{ source: "HOP_COUNT", comparison: "LESS_THAN", target: "12" }];
  const path = { url: "db.example.com", protocol: "UDP", maxHops: 20, ptrLookup: true, assertions: hops };
  await made("/v1/checks/traceroute", { name: "Way", locations: ["eu-west-1"], maxResponseTime: 200, request: path });
  const script = "import { test } from '@playwright/test';\nimport './lib/a';\ntest('a', async () => {});\n";
  const files = { scriptPath: "tests/a.spec.ts", dependencies: [{ path: "tests/lib/a.ts", content: "export {};\n" }] };
  const environmentVariables = [{ key: "PIN", value: "4711-0815-script", secret: true }];
  await made("/v1/checks/browser", {
    name: "Journey",
    locations: ["eu-west-1"],
    script,
    ...files,
    environmentVariables,
    sslCheckDomain: "a.example.com",
  });
  await made("/v1/checks/multistep", { name: "Chain", locations: ["eu-west-1"], script, runtimeId: "2026.04", ...files });
  await made("/v1/checks/heartbeat", { name: "Backup", heartbeat: { period: 1, periodUnit: "days", grace: 1, graceUnit: "hours" } });
  await made("/v1/dashboards", { header: "Shop", customUrl: "shop-round-trip", tags: ["shop"], isPrivate: true });
  const page = await made("/v1/status-pages", {
    name: "Shop",
    url: "shop-round-trip-page",
    cards: [{ name: "Buying", services: [{ id: service.id }] }],
  });
  await made("/v1/maintenance-windows", {
    name: "Updates",
    startsAt: "2026-05-03T02:00:00+02:00",
    endsAt: "2026-05-03T04:00:00+02:00",
    repeatInterval: 1,
    repeatUnit: "MONTH",
    timezone: "Europe/Berlin",
    statusPageVisibility: { enabled: true, statusPageIds: [page.id], serviceIds: [service.id] },
  });
  return one;
}

const secrets = {
  ENVIRONMENT_VARIABLE_TOKEN_VALUE: "0123456789abcdef",
  ALERT_CHANNEL_WEBHOOK_CHAT_CONFIG_WEBHOOKSECRET: "hook-secret-1",
  ALERT_CHANNEL_WEBHOOK_CHAT_CONFIG_HEADERS_0_VALUE: "locked-value",
  CHECK_GROUP_STRICT_ENVIRONMENTVARIABLES_0_VALUE: "3",
  CHECK_JOURNEY_ENVIRONMENTVARIABLES_0_VALUE: "4711-0815-script",
  CHECK_ORDERS_REQUEST_GRPCCONFIG_METADATA_0_VALUE: "Bearer call-token",
};

describe("configuration as a file", () => {
  it("says the same of an empty installation that it was applied to, and holds no secret and no id", async () => {
    const [from, to] = [await furnished(), await installation()];
    const text = await from.exported();
    for (const secret of ["0123456789abcdef", "hook-secret-1", "locked-value", "call-token", "********"])
      expect(text).not.toContain(secret);
    for (const name of Object.keys(secrets)) expect(text).toContain(`\${env:${name}}`);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
    await to.apply(text, { env: secrets });
    expect(await to.exported()).toBe(text);
    expect(await to.apply(text)).toMatch(/^\d+ unchanged\n$/);
    expect(await from.apply(text)).toMatch(/^\d+ unchanged\n$/);
  });

  it("changes what differs and nothing else, and removes only when told to", async () => {
    const one = await furnished();
    const text = await one.exported();
    const changed = text.replace("hostname: mail.example.com", "hostname: mx.example.com").replace("header: Shop", "header: Shops");
    expect(await one.apply(changed)).toMatch(
      /~ check "Mail"\n {4}request\.hostname: "mail\.example\.com" → "mx\.example\.com"\n(?: {4}.*\n)*~ dashboard/,
    );
    expect(await one.exported()).toBe(changed);
    const smaller = changed.replace(/ {2}- name: Loose\n(?: {4}.*\n)*/, "");
    expect(smaller).not.toBe(changed);
    expect(await one.apply(smaller)).toMatch(/^\d+ unchanged\n$/);
    expect(await one.apply(smaller, { prune: true })).toContain('- check group "Loose"\n1 to remove');
    expect(await one.exported()).toBe(smaller);
  });

  it("sets a secret again when the environment has it, and shows no value", async () => {
    const one = await furnished();
    const said = await one.apply(await one.exported(), { env: { ENVIRONMENT_VARIABLE_TOKEN_VALUE: "fedcba9876543210" } });
    expect(said).toContain('~ environment variable "TOKEN"\n    value: secret, set again\n');
    expect(said).not.toContain("fedcba");
  });

  it("never writes asterisks over what no secret keeps", async () => {
    const one = await installation();
    const text = (value: string) => `outpost: 1
checks:
  - name: Shop
    locations: [eu-west-1]
    request: { method: GET, url: "https://shop.example.com", headers: [{ key: x-token, value: "${value}" }] }
`;
    await one.apply(text("plain"));
    const planned = async (env: Record<string, string>) => {
      const wanted = readConfigFile(text("${env:SHOP_TOKEN}"), env);
      return missingSecrets(planOf(wanted, await readAccount(one.client), false));
    };
    expect(await planned({})).toEqual(["SHOP_TOKEN"]);
    expect(await planned({ SHOP_TOKEN: "other" })).toEqual([]);
  });

  it("keeps the difference between no retries and none told, and lets a channel join that subscribes itself", async () => {
    const [from, to] = [await installation(), await installation()];
    for (const one of [from, to])
      await one.made("/v1/alert-channels", { type: "EMAIL", config: { address: "a@example.com" }, autoSubscribe: true });
    await from.made("/v1/checks/api", apiCheck({ name: "Told", retryStrategy: null }));
    await from.made("/v1/checks/api", apiCheck({ name: "Not told" }));
    const text = (await from.exported()).replaceAll(/alertChannelSubscriptions:\n(?: {6,}.*\n)+/g, "alertChannelSubscriptions: []\n");
    expect(text.match(/retryStrategy: null/g)).toHaveLength(1);
    await to.apply(text);
    expect(await to.apply(text)).toMatch(/^\d+ unchanged\n$/);
    expect(await to.exported()).toBe(text);
  });

  it("takes a file that a person wrote, which leaves out what it does not care for", async () => {
    const one = await installation();
    const text = `outpost: 1
alertChannels:
  - type: EMAIL
    config: { address: a@example.com }
    autoSubscribe: true
checks:
  - name: Shop
    locations: [eu-west-1]
    request: { method: GET, url: "https://shop.example.com" }
`;
    expect(await one.apply(text)).toContain('+ alert channel "EMAIL a@example.com"\n+ check "Shop"\n2 to create');
    expect((await one.client.listChecksV1()).items[0]?.alertChannelSubscriptions).toHaveLength(1);
    expect(await one.apply(text)).toBe("2 unchanged\n");
  });

  it("is applied in parts where it is more than one transaction takes: what was made stays, and the next time goes on", async () => {
    const one = await installation();
    const script = "x".repeat(260_000);
    const snippets = Array.from({ length: 35 }, (_, number) => `  - { name: Part ${number}, script: ${script} }\n`).join("");
    const check = (name: string, location: string) =>
      `  - { name: ${name}, privateLocations: [${location}], setupSnippetId: Part 0, tearDownSnippetId: Part 34, request: { url: "http://x", method: GET } }\n`;
    const file = (location: string) =>
      `outpost: 1\nprivateLocations: [{ name: Berlin, slugName: berlin }]\nsnippets:\n${snippets}checks:\n${check("A", "berlin")}${check("B", location)}`;
    const state = await readAccount(one.client);
    await expect(applySteps(one.client, planOf(readConfigFile(file("nowhere"), {}), state, false), state)).rejects.toThrow(
      /^Could not create the check "B": .*nowhere.* \(400\)\. The first 29 of 38 changes were made; apply the file again when this is put right$/s,
    );
    const stored = async () => (await one.client.listSnippets({ query: { limit: 100 } })).items;
    expect(await stored()).toHaveLength(28);
    expect(await one.apply(file("berlin"))).toContain("\n9 to create");
    const byName = new Map((await stored()).map(({ name, id }) => [name, id]));
    const used = { setupSnippetId: byName.get("Part 0"), tearDownSnippetId: byName.get("Part 34") };
    expect((await one.client.listChecksV1()).items).toMatchObject([used, used]);
  });

  it.each([
    ["checks:\n  - {name: A}", /outpost: must be 1/],
    ["outpost: 1\nchecks: [{name: A, requst: {}}]", /checks\[0\] \(A\): requst: no such field; fields: name,/],
    ["outpost: 1\nchecks: [{name: A, checkType: FTP}]", /checks\[0\] \(A\): has a type that there is not: FTP/],
    ["outpost: 1\nchecks: [{name: A, groupId: 3, request: {url: x, method: GET}}]", /groupId must be the name of an entry of checkGroups/],
    ["outpost: 1\nchecks: [{name: A, request: {method: GET}}]", /checks\[0\] \(A\): request\.url is required/],
    ["outpost: 1\nsnipets: []", /snipets: is no section; sections: account, privateLocations/],
    ["- 1", /must hold an object/],
    ["a: [", /line 1 is no YAML/],
  ])("refuses %j with what is wrong and where", (text, message) => {
    expect(() => readConfigFile(text, {})).toThrow(message);
  });

  it("tells names that nothing has", async () => {
    const one = await installation();
    const wanted = readConfigFile(
      "outpost: 1\nchecks: [{name: A, groupId: Nobody, activated: false, request: {url: 'http://x', method: GET}}]",
      {},
    );
    expect(danglingReferences(wanted, await readAccount(one.client))).toEqual([
      { where: 'checks "A"', message: 'groupId names "Nobody", and checkGroups has none of that name' },
    ]);
  });
});
