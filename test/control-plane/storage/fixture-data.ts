import { randomUUID } from "node:crypto";
import type { AttemptReport } from "#contract/agent-protocol.ts";
import { uuidFrom } from "#domain/ids.ts";
import type {
  AccountRow,
  AgentSessionRow,
  CheckDefinition,
  CheckRow,
  CheckSchedule,
  LeasedJobRow,
  LocationRow,
  ReapSettings,
  ResultRow,
  SessionRow,
  Storage,
} from "../../../src/control-plane/storage/storage.ts";
import { attemptReport } from "../../support/attempt-report.ts";

/** Noon of a day, so that an hour more or less stays in it. */
export const t0 = Date.UTC(2026, 10, 20, 12, 0, 0);
export const leaseMs = 30_000;

export function definition(change: Partial<CheckDefinition> & Record<string, unknown> = {}): CheckDefinition {
  return {
    name: "a check",
    activated: true,
    muted: false,
    tags: [],
    frequency: 1,
    frequencyOffset: 1,
    runParallel: false,
    request: { url: "https://example.com/" },
    ...change,
  };
}

export const minutely: CheckSchedule = { periodMs: 60_000, phaseMs: 0, nextDueMs: t0 };

export async function account(storage: Storage): Promise<AccountRow> {
  return storage.accounts.create({ uuid: randomUUID(), name: "acme", runtimeId: "2026.04", nowMs: t0 });
}

export async function location(storage: Storage, accountId: number, code = "berlin"): Promise<LocationRow> {
  return storage.locations.create({ accountId, uuid: randomUUID(), code, name: code, icon: "home", proxyUrl: null, nowMs: t0 });
}

export async function check(
  storage: Storage,
  accountId: number,
  locationIds: readonly number[],
  change: Partial<CheckDefinition> & Record<string, unknown> = {},
  schedule = minutely,
): Promise<CheckRow> {
  return storage.checks.create({
    uuid: randomUUID(),
    accountId,
    type: "API",
    definition: definition(change),
    locationIds,
    schedule,
    nowMs: t0,
  });
}

export async function agent(
  storage: Storage,
  at: LocationRow,
  nowMs = t0,
  runtimes: readonly string[] = [],
  sandboxLevel = 1,
): Promise<AgentSessionRow> {
  return storage.agents.open({
    tokenHash: randomUUID(),
    agentId: randomUUID(),
    locationId: at.id,
    accountId: at.accountId,
    keyId: "key",
    name: "host",
    version: "1.0.0",
    checkTypes: ["API"],
    runtimes,
    sandboxLevel,
    capabilities: {},
    nowMs,
    expiresAtMs: nowMs + 3_600_000,
  });
}

/** An account with a location, a check there, an agent, and one job that the agent has leased. */
export interface Scene {
  readonly storage: Storage;
  readonly account: AccountRow;
  readonly berlin: LocationRow;
  readonly check: CheckRow;
  readonly agent: AgentSessionRow;
  readonly session: SessionRow;
}

export async function scene(storage: Storage, locations = ["berlin"]): Promise<Scene & { readonly locations: readonly LocationRow[] }> {
  const owner = await account(storage);
  const places: LocationRow[] = [];
  for (const code of locations) places.push(await location(storage, owner.id, code));
  const [berlin] = places;
  if (!berlin) throw new Error("a scene needs a location");
  const ids = places.map((place) => place.id);
  const ofScene = await check(storage, owner.id, ids);
  const session = await start(storage, ofScene, [berlin.id]);
  return { storage, account: owner, berlin, check: ofScene, agent: await agent(storage, berlin), session, locations: places };
}

export async function start(storage: Storage, of: CheckRow, locationIds: readonly number[], runAtMs = t0): Promise<SessionRow> {
  const [session] = await storage.schedule.startRuns([
    { accountId: of.accountId, checkId: of.id, runAtMs, source: "TRIGGER_API", locationIds },
  ]);
  if (!session) throw new Error("no session");
  return session;
}

export async function lease(storage: Storage, by: AgentSessionRow, nowMs = t0, max = 10): Promise<readonly LeasedJobRow[]> {
  const { id, locationId, checkTypes, runtimes } = by;
  return storage.jobs.lease({ agentSession: id, locationId, checkTypes, runtimes, max, nowMs, leaseMs });
}

export async function leaseOne(storage: Storage, by: AgentSessionRow, nowMs = t0): Promise<LeasedJobRow> {
  const [job] = await lease(storage, by, nowMs, 1);
  if (!job) throw new Error("no job to lease");
  return job;
}

export function report(
  job: Pick<LeasedJobRow, "no" | "runAtMs" | "fence" | "attempt">,
  change: Partial<AttemptReport> = {},
): AttemptReport {
  return attemptReport({
    jobId: jobUuid(job),
    attempt: job.attempt,
    fence: job.fence,
    startedAt: job.runAtMs + 100.5,
    stoppedAt: job.runAtMs + 200.75,
    responseTimeMs: 100.25,
    queuedMs: 12,
    loopDelayMs: 1.5,
    metrics: { wait: 0.1, dns: 1, tcp: 2, tls: null, firstByte: 3, download: 4.25 },
    detail: { requestError: null, response: { status: 200 } },
    ...change,
  });
}

/** The detail of a stored result. */
export function detailOf({ detailJson }: Pick<ResultRow, "detailJson">): unknown {
  return detailJson === null ? null : JSON.parse(detailJson.toString());
}

export function jobUuid(job: Pick<LeasedJobRow, "no" | "runAtMs">): string {
  return uuidFrom(2, job.runAtMs, job.no);
}

export const reaping: ReapSettings = { queueWaitMs: 360_000, acknowledgeMs: 15_000, maxLostLeases: 3, graceUntilMs: 0, limit: 1_000 };
export const allTypes = ["FINAL", "ATTEMPT", "MISSED"] as const;
