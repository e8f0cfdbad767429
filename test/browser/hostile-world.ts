import type { Browser } from "../control-plane/console/browser.ts";
import { firstOwner } from "../control-plane/console/people.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../control-plane/fake-agent.ts";
import { hostileCss, manyPayloads, payloads } from "./payloads.ts";

/** A control plane where whatever a person, a target or an agent may write is a payload. */
export interface HostileWorld extends AsyncDisposable {
  readonly plane: ControlPlaneUnderTest;
  readonly owner: Browser;
  /** Their ids. */
  readonly checksOfEachType: readonly string[];
  /** Lets the agent run all checks, with hostile results. */
  readonly runAll: () => Promise<void>;
}

type Post = (path: string, body: object) => Promise<{ readonly id: string; readonly [field: string]: unknown }>;

const [script = "", closing = "", image = ""] = [payloads[0], payloads[2], payloads[3]];
const url = `https://shop.example/?q=${image}`;

export async function hostileWorld(): Promise<HostileWorld> {
  const plane = await controlPlaneUnderTest();
  const owner = await firstOwner(plane, { name: image, email: "mallory@example.com", password: "a fine long phrase" });
  const post: Post = async (path, body) => {
    const answer = await plane.call("POST", path, { body });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
    return answer.body;
  };
  await writeConfiguration(post);
  await tellOfMaintenance(plane, post);
  await writePages(post);
  const agent = await startAgent(plane, post);
  const checks = await writeChecks(post);
  const runAll = async (): Promise<void> => {
    await post("/v1/check-sessions/trigger", { target: { checkId: checks } });
    for (let left = checks.length; left > 0; ) {
      const jobs = await agent.lease(100, 5);
      left -= jobs.length;
      const reports = jobs.map((job) => reportOf(job, failed)).map((report) => ({ ...report, detail: hostile(report.detail) }));
      const refused = (await agent.report(...reports)).find(({ outcome }) => outcome !== "accepted");
      if (refused) throw new Error(JSON.stringify(refused));
    }
  };
  await runAll();
  return { plane, owner, runAll, checksOfEachType: checks.slice(0, 6), [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose]() };
}

const failed = { hasFailures: true, hasErrors: true, errorMessage: manyPayloads };

/** Members that hold what targets sent, people wrote, or libraries said; the others are of few words. */
const free = new Set(
  "url data body statusText location msg error actual target property requestError hostname resolvedIp query nameServer text server cipher trustError remoteAddress responseCode failureCategory cipherSuite tlsVersion".split(
    " ",
  ),
);

/** A detail in which every free text is hostile, and that has headers, redirects and a log of the same kind. */
function hostile(value: unknown, name = ""): unknown {
  if (name === "headers") return Object.fromEntries(payloads.map((payload) => [payload, payload]));
  if (name === "redirects")
    return [
      { status: 302, location: payloads[10] },
      { status: 302, location: url },
    ];
  if (name === "jobLog") return { setup: [], request: payloads.map((msg) => ({ time: 1, level: "ERROR", msg })), teardown: [] };
  if (name === "assertions")
    return [{ source: "TEXT_BODY", property: image, comparison: "EQUALS", target: script, error: manyPayloads, actual: manyPayloads }];
  if (Array.isArray(value)) return value.map((one) => hostile(one, name));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hostile(one, key)]));
  return free.has(name) && (typeof value === "string" || value === null) ? manyPayloads : value;
}

async function startAgent({ base }: ControlPlaneUnderTest, post: Post): Promise<FakeAgent> {
  const made = await post("/v1/private-locations", { name: closing, slugName: "hostile" });
  const [{ rawKey } = { rawKey: "" }] = made["keys"] as readonly { readonly rawKey: string }[];
  const agent = await FakeAgent.open(base, rawKey, {
    name: image,
    version: "1.0.0<svg onload=alert(1)>",
    checkTypes: ["API", "URL", "TCP", "DNS", "ICMP", "SSL", "<script>alert(1)</script>"],
    runtimes: ["<script>alert(1)</script>"],
    sandboxLevel: 2,
    capabilities: { [`<img src=x onerror=alert(1)>`]: image, icmp: script },
  });
  const event = { agentVersion: "<b>1</b>", platform: image, runtimeVersion: "<b>2</b>" };
  await agent.send("POST", "/error-events", { events: [{ ...event, message: manyPayloads, stack: manyPayloads }] });
  return agent;
}

async function writeChecks(post: Post): Promise<readonly string[]> {
  const { id: groupId } = await post("/v2/check-groups", { name: script, tags: [image] });
  const common = {
    tags: payloads.slice(0, 8),
    groupId,
    privateLocations: ["hostile"],
    frequency: 1440,
    retryStrategy: null,
    description: manyPayloads.slice(0, 500),
  };
  const headers = [{ key: "x-hostile", value: image, locked: false }];
  const assertions = [{ source: "TEXT_BODY", property: "", comparison: "CONTAINS", target: closing }];
  const requests = {
    api: { method: "POST", url, headers, bodyType: "RAW", body: manyPayloads, assertions },
    url: { url },
    tcp: { hostname: "shop.example", port: 25, data: manyPayloads.slice(0, 1_000) },
    dns: { query: "shop.example", recordType: "TXT" },
    icmp: { hostname: "shop.example" },
    ssl: { sslConfig: { hostname: "shop.example" } },
  };
  const checks: string[] = [];
  for (const [type, request] of Object.entries(requests))
    checks.push((await post(`/v1/checks/${type}`, { ...common, name: `${type} ${closing}`, request })).id);
  for (const name of payloads) checks.push((await post("/v1/checks/url", { ...common, name, request: { url } })).id);
  const heartbeat = { period: 1, periodUnit: "days", grace: 1, graceUnit: "hours" };
  await post("/v1/checks/heartbeat", { name: image, tags: [script], heartbeat });
  return checks;
}

async function writeConfiguration(post: Post): Promise<void> {
  const all = { autoSubscribe: true };
  const headers = [{ key: "x-hostile", value: image, locked: false }];
  const webhook = {
    name: closing,
    url: `http://127.0.0.1:9/?${image}`,
    method: "POST",
    headers,
    template: manyPayloads.replaceAll("{{", "{ {"),
  };
  await post("/v1/alert-channels", { ...all, type: "WEBHOOK", config: webhook });
  await post("/v1/alert-channels", { ...all, type: "SLACK", config: { url: "http://127.0.0.1:9/", channel: image } });
  await post("/v1/variables", { key: "HOSTILE", value: manyPayloads });
  await post("/v1/snippets", { name: "hostile", script: manyPayloads });
  await post("/v1/api-keys", { name: image.slice(0, 100), role: "READ_ONLY" });
  const [startsAt, endsAt] = [0, 3_600_000].map((ms) => new Date(Date.now() + ms).toISOString());
  const visibility = { enabled: true, affectAllServices: true };
  await post("/v1/maintenance-windows", {
    name: image,
    description: manyPayloads.slice(0, 2_000),
    startsAt,
    endsAt,
    repeatUnit: "",
    tags: [script],
    statusPageVisibility: visibility,
  });
}

async function tellOfMaintenance({ call }: ControlPlaneUnderTest, post: Post): Promise<void> {
  const { body: windows } = await call("GET", "/v1/maintenance-windows");
  const path = `/v1/maintenance-windows/${windows[0].id}/maintenances`;
  const { body: maintenances } = await call("GET", path);
  await post(`${path}/${maintenances[0].id}/updates`, { status: "IN_PROGRESS", description: manyPayloads.slice(0, 2_000) });
}

async function writePages(post: Post): Promise<void> {
  const said = { header: closing, description: manyPayloads.slice(0, 2_000), link: url, enableIncidents: true, showCheckRunLinks: true };
  const pictures = { logo: `https://logo.example/?${image}`, favicon: `http://logo.example/?${image}` };
  const { id: dashboardId } = await post("/v1/dashboards", { ...said, ...pictures, customUrl: "hostile", expandChecks: true });
  await post("/v1/dashboards", { ...said, customUrl: "styled", customCSS: hostileCss });
  const update = { status: "INVESTIGATING", description: manyPayloads };
  await post("/v1/incidents", {
    name: image,
    impact: "MAJOR",
    dashboardId,
    incidentUpdates: [{ ...update, description: manyPayloads.slice(0, 2_000) }],
  });
  const service = await post("/v1/status-pages/services", { name: image });
  const cards = [{ name: closing, services: [service] }];
  const page = { name: image, url: "hostile", description: manyPayloads.slice(0, 500), redirectTo: url };
  const { id: statusPageId } = await post("/v1/status-pages", { ...page, logo: pictures.logo, favicon: pictures.favicon, cards });
  // As near to markup as an address may be.
  const subscriptions = [{ type: "EMAIL", config: "o'mallory@example.com" }];
  await post(`/v1/status-pages/${statusPageId}/subscriptions/bulk`, { subscriptions, autoVerify: true });
  await post("/v1/status-pages/incidents", { name: closing, severity: "CRITICAL", services: [service], incidentUpdates: [update] });
}
