import type { AgentPlatform } from "#contract/agent-protocol.ts";
import { version } from "#daemon/version.ts";
import { uuidFrom } from "#domain/ids.ts";
import { openStorage } from "../../../src/control-plane/storage/open-storage.ts";
import type { AgentSessionRow, CheckRow, LocationRow, Storage } from "../../../src/control-plane/storage/storage.ts";
import { mailServer } from "../../control-plane/alerting/channels/mail-server.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../../control-plane/control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../../control-plane/fake-agent.ts";
import { attemptReport } from "../attempt-report.ts";
import { echo, httpServer } from "../http-servers/http-server.ts";
import { type DemoCheck, demoChecks, demoOutcome, demoPlaces } from "./demo-checks.ts";
import { demoPages, demoServices } from "./demo-pages.ts";
import { demoNowMs, type Post } from "./demo-post.ts";

const [minuteMs, hourMs] = [60_000, 3_600_000];

/** A control plane with a day of a made-up shop: checks in all states, results, alerts, agents at two locations, incidents, public pages. */
export interface Demo extends AsyncDisposable {
  readonly plane: ControlPlaneUnderTest;
  /** Uuids by the checks' names. */
  readonly checks: ReadonlyMap<string, string>;
  /** Lets all agents be heard of, and run what waits for them. */
  readonly beat: () => Promise<void>;
}

/** @param everyMinutes how far apart the runs of the past day are */
export async function startDemo(everyMinutes = 10): Promise<Demo> {
  const receiver = await httpServer(echo);
  const mail = await mailServer();
  const plane = await controlPlaneUnderTest(
    {
      QUEUE_WAIT_SECONDS: "86400",
      PUBLIC_URL: "http://outpost.shop.example",
      PAGE_DOMAINS: "trusted",
      SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      SMTP_FROM: "Outpost <outpost@shop.example>",
    },
    demoNowMs - 95 * 24 * hourMs,
  );
  const post: Post = async (path, body) => {
    const answer = await plane.call("POST", path, { body });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
    return answer.body;
  };
  const services = await demoServices(post);
  const keys = await makePlaces(post);
  plane.advance(demoNowMs - plane.context.nowMs());
  const agents = await startAgents(plane, keys);
  await makeChannels(post, receiver.url);
  const checks = await makeChecks(post, plane.base);
  await fillPast(plane, agents, checks, everyMinutes);
  await demoPages(post, services);
  const beat = (): Promise<void> => beatAll(agents, checks);
  await beat();
  return {
    plane,
    checks,
    beat,
    async [Symbol.asyncDispose]() {
      await plane[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
      await mail[Symbol.asyncDispose]();
    },
  };
}

interface DemoAgent {
  readonly place: string;
  readonly about: AgentAbout;
  readonly agent: FakeAgent;
}

interface AgentAbout {
  readonly agentId: string;
  readonly name: string;
  readonly version: string;
  readonly checkTypes: readonly string[];
  readonly sandboxLevel: number;
  readonly runtimes: readonly string[];
  readonly capabilities: Readonly<Record<string, string | boolean>>;
  readonly platform: AgentPlatform;
}

const able = {
  version,
  checkTypes: ["API", "URL", "TCP", "DNS", "ICMP", "SSL"],
  sandboxLevel: 2,
  runtimes: ["2026.04"],
  capabilities: { icmp: "dgram", ipv6: true },
  platform: { os: "linux", arch: "x64", nodeVersion: "26.10.0", isContainer: true },
};

/** @returns a key by the location's slug name */
async function makePlaces(post: Post): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>();
  for (const { slugName, name } of demoPlaces) {
    const made = await post("/v1/private-locations", { name, slugName });
    for (const { rawKey } of made["keys"] as readonly { readonly rawKey: string }[]) keys.set(slugName, rawKey);
  }
  return keys;
}

async function startAgents({ base }: ControlPlaneUnderTest, keys: ReadonlyMap<string, string>): Promise<readonly DemoAgent[]> {
  const abouts = demoPlaces.flatMap(({ slugName, agents }) =>
    agents.map((name) => ({ place: slugName, about: { ...able, agentId: crypto.randomUUID(), name } })),
  );
  return Promise.all(
    abouts.map(async ({ place, about }) => ({ place, about, agent: await FakeAgent.open(base, keys.get(place) ?? "", about) })),
  );
}

async function beatAll(agents: readonly DemoAgent[], checks: ReadonlyMap<string, string>): Promise<void> {
  const nameOf = new Map([...checks].map(([name, id]) => [id, name]));
  for (const { place, agent } of agents) {
    await agent.heartbeat([]);
    const reports = (await agent.lease(100)).flatMap((job) => {
      const check = demoChecks.find(({ name }) => name === nameOf.get(job.payload.checkId));
      return check === undefined ? [] : [reportOf(job, demoOutcome(check, place, job.leasedAt, job.leasedAt))];
    });
    if (reports.length > 0) await agent.report(...reports);
  }
}

async function makeChannels(post: Post, receiverUrl: string): Promise<void> {
  const all = { autoSubscribe: true, sendRecovery: true, sendFailure: true, sendDegraded: false };
  const headers = [{ key: "authorization", value: "Bearer demo", locked: true }];
  await post("/v1/alert-channels", {
    ...all,
    type: "WEBHOOK",
    config: { name: "On-call rota", url: `${receiverUrl}/on-call`, method: "POST", headers },
  });
  await post("/v1/alert-channels", { ...all, type: "EMAIL", sslExpiry: true, config: { address: "operations@shop.example" } });
}

async function makeChecks(post: Post, base: string): Promise<ReadonlyMap<string, string>> {
  const groups = new Map<string, string>();
  for (const { group } of demoChecks) if (!groups.has(group)) groups.set(group, (await post("/v2/check-groups", { name: group })).id);
  const checks = new Map<string, string>();
  for (const { type, name, group, tags, places, body } of demoChecks) {
    const common = {
      name,
      tags,
      groupId: groups.get(group),
      privateLocations: places,
      frequency: 10,
      runParallel: true,
      retryStrategy: null,
    };
    checks.set(name, (await post(`/v1/checks/${type.toLowerCase()}`, { ...common, ...body })).id);
  }
  const heartbeat = { period: 1, periodUnit: "days", grace: 2, graceUnit: "hours" };
  for (const name of ["Nightly backup", "Invoice export"]) {
    const made = await post("/v1/checks/heartbeat", { name, tags: ["jobs"], heartbeat });
    checks.set(name, made.id);
    if (name === "Nightly backup") await fetch(base + new URL((made["heartbeat"] as { readonly pingUrl: string }).pingUrl).pathname);
  }
  return checks;
}

interface Past {
  readonly plane: ControlPlaneUnderTest;
  readonly storage: Storage;
  readonly checks: readonly { readonly demo: DemoCheck; readonly row: CheckRow }[];
  readonly places: readonly { readonly row: LocationRow; readonly session: AgentSessionRow }[];
}

/** Runs of a day, started, leased and reported as time went by, so that alerts and figures come of themselves. */
async function fillPast(
  plane: ControlPlaneUnderTest,
  agents: readonly DemoAgent[],
  made: ReadonlyMap<string, string>,
  everyMinutes: number,
): Promise<void> {
  // Beside the control plane, whose clock stands at the end of the day: waits and states here end by the instants of each call.
  await using past = await storageOfPast(plane);
  const { storage } = past;
  const fromMs = demoNowMs - 24 * hourMs + everyMinutes * minuteMs;
  const checks = await Promise.all(
    demoChecks.map(async (demo) => ({ demo, row: there(await storage.checks.byUuid(plane.account.id, made.get(demo.name) ?? "")) })),
  );
  const slugs = demoPlaces.map(({ slugName }) => slugName);
  const places = await Promise.all(
    (await storage.locations.byCodes(plane.account.id, slugs)).map(async (row) => {
      const { about } = there(agents.find(({ place }) => place === row.code));
      const where = { locationId: row.id, accountId: row.accountId, keyId: "past", tokenHash: crypto.randomUUID() };
      return { row, session: await storage.agents.open({ ...about, ...where, nowMs: fromMs, expiresAtMs: demoNowMs }) };
    }),
  );
  const runs = { plane, storage, checks: checks.filter(({ row }) => row.definition.activated), places };
  for (let atMs = fromMs; atMs < demoNowMs - minuteMs; atMs += everyMinutes * minuteMs) await runAll(runs, atMs);
}

async function storageOfPast({ dataDir, context }: ControlPlaneUnderTest): Promise<AsyncDisposable & { readonly storage: Storage }> {
  const storage = await openStorage({ dataDir, nowMs: context.nowMs(), besideOthers: true, synchronous: "normal" });
  return { storage, [Symbol.asyncDispose]: () => storage.close() };
}

async function runAll({ plane: { account }, storage, checks, places }: Past, atMs: number): Promise<void> {
  const idOf = new Map(places.map(({ row }) => [row.code, row.id]));
  await storage.schedule.startRuns(
    checks.map(({ demo, row }, index) => {
      const locationIds = demo.places.flatMap((code) => idOf.get(code) ?? []);
      return { accountId: account.id, checkId: row.id, runAtMs: atMs + 1_000 * index, source: "SCHEDULE", locationIds };
    }),
  );
  const nowMs = atMs + minuteMs;
  for (const { row: place, session } of places) {
    const { id: agentSession, locationId, checkTypes, runtimes } = session;
    const jobs = await storage.jobs.lease({ agentSession, locationId, checkTypes, runtimes, max: 100, nowMs, leaseMs: hourMs });
    const reports = jobs.map((job) => {
      const { demo } = there(checks.find(({ row }) => row.id === job.check.id));
      const outcome = demoOutcome(demo, place.code, job.runAtMs, demoNowMs);
      const startedAt = job.runAtMs + 40;
      const stoppedAt = startedAt + (outcome.responseTimeMs ?? 0);
      const times = { startedAt, stoppedAt, queuedMs: 40, loopDelayMs: 0.6 };
      return attemptReport({ jobId: uuidFrom(2, job.runAtMs, job.no), fence: job.fence, checkType: demo.type, ...times, ...outcome });
    });
    const refused = (await storage.results.ingest(session, reports, nowMs)).find(({ outcome }) => outcome !== "accepted");
    if (refused) throw new Error(`not accepted: ${JSON.stringify(refused)}`);
  }
}

function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the demo lacks a part");
  return value;
}
