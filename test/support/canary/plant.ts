import { operations } from "#contract/operations.ts";
import type { Site } from "../site.ts";
import type { AlertReaders } from "./alert-readers.ts";
import { type Canaries, inHeartbeats } from "./canaries.ts";
import { type Canary, issuedCanary } from "./canary.ts";
import type { TellingTargets } from "./telling-targets.ts";

/** An account with secrets in every field, and what it was given by the control plane. */
export interface Planted {
  /** Keys of agents by location. */
  readonly keys: { readonly direct: string; readonly proxied: string };
  readonly checks: Readonly<Record<string, string>>;
  readonly heldCheck: string;
  readonly proxiedCheck: string;
  /** Tokens and keys that the control plane made. */
  readonly issued: readonly Canary[];
  /** A key of role READ_ONLY. */
  readonly lowKey: string;
  readonly accountId: string;
  readonly groupId: string;
  /** Of a dashboard and a status page that everybody may read. */
  readonly openPages: readonly string[];
}

/** What a script can do with all it sees. Secrets of the agent are given to those who name them. */
const tellAll = `
  void "SERVICE_SECRET_AGENT SERVICE_SECRET_NAME SERVICE_SECRET_HOST SERVICE_SECRET_FILE SERVICE_SECRET_PLANTED";
  const ways = (text) => [text, ...["", ".", ".."].map((before) => Buffer.from(before + text).toString("base64")), encodeURIComponent(text),
    encodeURIComponent(encodeURIComponent(text)), JSON.stringify(text), JSON.stringify(JSON.stringify(text)), Buffer.from(text).toString("hex"),
    Buffer.from(text).toString("base64url"), Buffer.from(text, "utf16le").toString("latin1"), new URLSearchParams({ text }).toString()];
  for (const text of [...Object.values(process.env), ...Object.values(request.headers), ...Object.values(request.queryParameters)])
    console.log(ways(text).join("\\n"));
  console.error(JSON.stringify({ env: process.env, request, headers: globalThis.response?.headers }));
  console.warn(globalThis.response?.body, globalThis.response?.headers);`;
const makeSecret = `process.env.SERVICE_SECRET_MADE = process.env.BACKWARDS.split("").reverse().join("");`;
const throwAll = "throw new Error(Object.values(process.env).join() + JSON.stringify(request));";
const failing = [{ source: "STATUS_CODE", comparison: "EQUALS", target: "200" }];

/** Fills every field that takes a secret over REST. The checks run when they are triggered. */
export async function plant(
  site: Site,
  canaries: Canaries,
  certificate: { readonly cert: string; readonly key: string },
  targets: TellingTargets,
  proxyPort: number,
  readers: Pick<AlertReaders, "url">,
): Promise<Planted> {
  const c = Object.fromEntries(Object.entries(canaries).map(([name, { value }]) => [name, value])) as Record<keyof Canaries, string>;
  const post = <T>(path: string, body: object): Promise<T> => site.api<T>("POST", path, body);
  const proxyUrl = `http://job:${encodeURIComponent(c.jobProxy)}@127.0.0.1:${proxyPort}`;
  const direct = await site.location("direct");
  const proxied = await post<{ keys: { rawKey: string }[] }>("/v1/private-locations", { name: "proxied", slugName: "proxied", proxyUrl });
  const proxiedKey = proxied.keys[0]?.rawKey ?? "";
  await plantVariables(post, c);
  await plantChannels(post, c, readers.url); // first, as they subscribe to what comes later
  const groupId = await plantGroup(post, c);
  await post("/v1/client-certificates", { host: "127.0.0.1", ...certificate, passphrase: c.passphrase });

  const request = (path: string, more: object = {}) => ({ ...secretRequest(targets.http + path, c), ...more });
  const settings = { groupId, retryStrategy: { type: "FIXED", baseBackoffSeconds: 1, maxRetries: 1 } };
  const scripted = { ...settings, localSetupScript: makeSecret + tellAll, localTearDownScript: tellAll + throwAll };
  const api = (path: string, body: object = {}, more: object = {}): Promise<string> =>
    site.check(targets.http + path, ["direct"], { name: path, ...settings, request: request(path, more), ...body });
  const typed = async (type: string, body: object): Promise<string> =>
    (await post<{ id: string }>(`/v1/checks/${type}`, { name: type, privateLocations: ["direct"], frequency: 1440, ...body })).id;
  const bare = (url: string) => ({ groupId, request: { method: "GET", url, assertions: failing } });
  const ofUrl = targets.http.replace("http://", `http://user:${c.urlPassword}@`);
  const quoting = [{ source: "TEXT_BODY", comparison: "EQUALS", target: "other" }];
  const checks = {
    scripted: await api("/scripted", scripted),
    thrown: await api("/thrown", { ...scripted, localSetupScript: makeSecret + tellAll + throwAll }),
    plain: await api("/moved"),
    long: await api("/long"),
    gzip: await api("/gzip"),
    zip: await api("/zip"),
    tar: await api("/tar"),
    utf16: await api("/utf-16"),
    shortGzip: await api("/short-gzip"),
    quoted: await api("/quoted", {}, { assertions: quoting }),
    statusLine: await site.check(targets.statusLine, ["direct"], { request: { ...secretRequest(targets.statusLine, c) } }),
    lost: await site.check("http://{{HOST_NAME}}.invalid/", ["direct"], bare("http://{{HOST_NAME}}.invalid/?v={{ACCOUNT_SECRET}}")),
    tls: await site.check("tls", ["direct"], bare(`https://127.0.0.1:${targets.tls}/`)),
    url: await typed("url", { request: { url: `${ofUrl}/agent` } }),
    tcp: await typed("tcp", { request: { hostname: "127.0.0.1", port: targets.banner, data: "tell", assertions: tcpAssertions } }),
    greeting: await typed("tcp", { request: { hostname: "127.0.0.1", port: targets.greeting, startTls: "smtp" } }),
    dns: await typed("dns", {
      request: { query: "told.example.test", recordType: "TXT", nameServer: "127.0.0.1", port: targets.dns, assertions: dnsAssertions },
    }),
    ssl: await typed("ssl", { request: { sslConfig: { hostname: "localhost", port: targets.tls } } }),
  };
  const heldCheck = await api("/held", scripted);
  const proxiedCheck = await site.check("proxied", ["proxied"], {
    ...scripted,
    privateLocations: ["proxied"],
    request: request("/scripted"),
  });
  const issued = await plantTokens(site, checks.plain, groupId, c);
  const low = await post<{ rawKey: string }>("/v1/api-keys", { name: "low", role: "READ_ONLY" });
  const { id: accountId } = await site.api<{ id: string }>("GET", "/v1/accounts/me");
  const keys = [direct, proxiedKey, low.rawKey].map((key, index) => issuedCanary(`key ${index}`, key));
  return {
    keys: { direct, proxied: proxiedKey },
    checks,
    heldCheck,
    proxiedCheck,
    issued: [...issued, ...keys],
    lowKey: low.rawKey,
    accountId,
    groupId: String(groupId),
    openPages: await plantOpenPages(post),
  };
}

type Post = <T>(path: string, body: object) => Promise<T>;
type Values = Readonly<Record<keyof Canaries, string>>;

const tcpAssertions = [{ source: "RESPONSE_DATA", comparison: "EQUALS", target: "other" }];
const dnsAssertions = [{ source: "TEXT_ANSWER", comparison: "EQUALS", target: "other" }];

/** Every field of a request that takes a secret. */
function secretRequest(url: string, c: Values): object {
  return {
    method: "POST",
    url,
    bodyType: "RAW",
    body: "{{ACCOUNT_SECRET}} {{ACCOUNT_LOCKED}} {{GROUP_SECRET}} {{GROUP_LOCKED}} {{SERVICE_SECRET_AGENT}} {{SERVICE_SECRET_FILE}}",
    headers: [
      { key: "X-Locked", value: c.lockedHeader, locked: true },
      { key: "Authorization", value: `Bearer ${c.authorization}` },
      { key: "Cookie", value: `first=1; token=${c.cookie}` },
      { key: "X-Api-Key", value: c.apiKeyHeader },
    ],
    queryParameters: [
      { key: "locked", value: c.lockedParameter, locked: true },
      { key: "variable", value: "{{ACCOUNT_SECRET}}" },
    ],
    basicAuth: { username: "someone", password: c.basicPassword },
    assertions: failing,
  };
}

async function plantVariables(post: Post, c: Values): Promise<void> {
  await post("/v1/variables", { key: "ACCOUNT_SECRET", value: c.accountSecret, secret: true });
  await post("/v1/variables", { key: "ACCOUNT_LOCKED", value: c.accountLocked, locked: true });
  await post("/v1/variables", { key: "HOST_NAME", value: c.hostName, secret: true });
  await post("/v1/variables", { key: "BACKWARDS", value: c.madeByScript.split("").reverse().join("") });
  const environmentVariables = [
    { key: "CHECK_SECRET", value: c.checkSecret, secret: true },
    { key: "CHECK_LOCKED", value: c.checkLocked, locked: true },
  ];
  await post("/v1/checks/multistep", {
    name: "steps",
    activated: false,
    frequency: 1440,
    locations: ["eu-west-1"],
    script: "1",
    environmentVariables,
  });
}

async function plantGroup(post: Post, c: Values): Promise<number> {
  const { id } = await post<{ id: number }>("/v2/check-groups", {
    name: "group",
    environmentVariables: [
      { key: "GROUP_SECRET", value: c.groupSecret, secret: true },
      { key: "GROUP_LOCKED", value: c.groupLocked, locked: true },
    ],
    apiCheckDefaults: { headers: [{ key: "X-Group", value: c.groupHeader, locked: true }] },
  });
  return id;
}

async function plantChannels(post: Post, c: Values, url: string): Promise<void> {
  const webhook = {
    name: "hook",
    url: `${url}/webhook/${c.webhookUrl}`,
    webhookSecret: c.webhookSecret,
    headers: [
      { key: "X-Open", value: c.webhookHeader },
      { key: "X-Locked", value: c.webhookLocked, locked: true },
    ],
  };
  const channels = {
    WEBHOOK: webhook,
    SLACK: { url: `${url}/slack/${c.slackUrl}` },
    SLACK_APP: { slackChannels: ["#operations"] },
    PAGERDUTY: { serviceKey: c.pagerduty },
    OPSGENIE: { name: "team", apiKey: c.opsgenie },
    EMAIL: { address: "operations@example.com" },
    SMS: { name: "phone", number: "+4915187654321" },
  };
  for (const [type, config] of Object.entries(channels)) await post("/v1/alert-channels", { type, config, autoSubscribe: true });
}

async function plantOpenPages(post: Post): Promise<string[]> {
  await post("/v1/dashboards", { header: "All", customUrl: "all-checks", tags: [], isPrivate: false });
  const service = await post<{ id: string }>("/v1/status-pages/services", { name: "Shop" });
  const cards = [{ name: "Buying", services: [{ id: service.id }] }];
  await post("/v1/status-pages", { name: "Status", url: "shop-page", cards });
  return ["/dashboards/all-checks", "/status/shop-page"];
}

/** Tokens and keys, and their use. */
async function plantTokens(site: Site, checkId: string, groupId: number, c: Values): Promise<Canary[]> {
  const inTriggers = { readBy: { writers: /\/triggers\// } };
  const ofCheck = await site.api<{ token: string }>("POST", `/v1/triggers/checks/${checkId}`);
  const ofGroup = await site.api<{ token: string }>("POST", `/v1/triggers/check-groups/${groupId}`);
  const { heartbeat } = await site.api<{ heartbeat: { pingUrl: string; pingToken: string } }>("POST", "/v1/checks/heartbeat", {
    name: "pinged",
    heartbeat: { period: 1, periodUnit: "days", grace: 30, graceUnit: "minutes" },
  });
  await fetch(heartbeat.pingUrl, { headers: { "user-agent": "test" } });
  const environmentVariables = [
    { key: "TEST_SECRET", value: c.testSecret, secret: true },
    { key: "TEST_LOCKED", value: c.testLocked, locked: true },
  ];
  const target = { checkId: [checkId] };
  await site.api("POST", "/v1/test-sessions/trigger", { name: "session", runLocation: "direct", target, environmentVariables });
  const example = operations.find(({ id }) => id === "createDashboard")?.example as { body: object } | undefined;
  const { dashboardId } = await site.api<{ dashboardId: string }>("POST", "/v1/dashboards", { ...example?.body, isPrivate: true });
  const dashboard = await site.api<{ rawKey: string }>("POST", `/v1/dashboards/${dashboardId}/keys`);
  return [
    issuedCanary("token of a check's trigger", ofCheck.token, inTriggers),
    issuedCanary("token of a group's trigger", ofGroup.token, inTriggers),
    issuedCanary("token of a heartbeat", heartbeat.pingToken, inHeartbeats),
    issuedCanary("key of a dashboard", dashboard.rawKey),
  ];
}
