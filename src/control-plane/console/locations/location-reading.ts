import { listLocationHosts } from "#contract/location-hosts.ts";
import {
  getPrivateLocation,
  listPrivateLocationErrorEvents,
  listPrivateLocations,
  type PrivateLocation,
} from "#contract/private-locations.ts";
import { AppError } from "#domain/app-error.ts";
import { ExactValues } from "#domain/statistics/exact-values.ts";
import type {
  AgentStore,
  CheckGroupStore,
  CheckIndexStore,
  JobStore,
  LocationFigureStore,
  LocationStore,
  QueueDepth,
} from "../../storage/storage.ts";
import { locationTexts } from "../../texts/locations.ts";
import { numberText } from "../../view/units.ts";
import type { Ask } from "../ask.ts";
import type { Visit } from "../visit.ts";
import { type Advice, adviceFor } from "./advice.ts";
import { agentsOf } from "./agents.ts";
import { type LocationSigns, type LocationState, stateOfLocation } from "./location-state.ts";
import { queueBuckets } from "./queue-chart.ts";

export interface LocationReadDeps {
  readonly locations: Pick<LocationStore, "list" | "byUuid" | "queueHistory" | "users">;
  readonly checkIndex: Pick<CheckIndexStore, "byUuids">;
  readonly checkGroups: Pick<CheckGroupStore, "byIds">;
  readonly agents: Pick<AgentStore, "ofLocations">;
  readonly jobs: Pick<JobStore, "queueDepths">;
  readonly locationFigures: LocationFigureStore;
  readonly nowMs: () => number;
  /** An agent that was not heard of for this long no longer counts as connected. */
  readonly agentGoneMs: number;
  readonly queueWaitMs: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Ended sessions are kept so long. */
const agentsShownMs = dayMs;
/** So many are enough for percentiles. */
const checksOfLag = 200;
const bucketsOfDay = 144;
/** So many checks and groups that use a location are named. */
const usersNamed = 5;
/** Missed runs are counted so far. */
const mostMissed = 10_000;

/** `10,000+` where nobody counted on. */
export function missedText(count: number): string {
  return `${numberText(count)}${count >= mostMissed ? "+" : ""}`;
}

type Queue = Pick<QueueDepth, "queued" | "leased"> & { readonly oldestWaitMs: number | null };

/** A location in the list of all. */
export interface ListedLocation extends LocationSigns {
  readonly location: PrivateLocation;
  readonly state: LocationState;
  readonly queue: Queue;
  readonly missed: number;
}

export async function readLocations(deps: LocationReadDeps, ask: Ask, visit: Visit): Promise<readonly ListedLocation[]> {
  const nowMs = deps.nowMs();
  const [listed, rows] = await Promise.all([ask(visit, listPrivateLocations), deps.locations.list(visit.account.id)]);
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const [sessions, depths, missed] = await Promise.all([
    deps.agents.ofLocations(ids, nowMs - agentsShownMs),
    deps.jobs.queueDepths(nowMs),
    Promise.all(rows.map(({ id }) => deps.locationFigures.missedCount(id, nowMs - dayMs, mostMissed))),
  ]);
  return rows.flatMap((row, index) => {
    const location = listed.find(({ id }) => id === row.uuid);
    if (location === undefined) return [];
    const agents = agentsOf(
      sessions.filter(({ locationId }) => locationId === row.id),
      nowMs,
      deps.agentGoneMs,
    );
    const queue = queueOf(depths, row.id, nowMs);
    const signs = { agents, lastSeenAtMs: row.lastSeenAtMs, waitPercent: waitPercent(deps, queue), nowMs };
    return { location, ...signs, queue, missed: missed[index] ?? 0, state: stateOfLocation(signs) };
  });
}

/** Everything that is known of one location. @throws {AppError} not_found, also for another account's */
export async function readLocation(deps: LocationReadDeps, ask: Ask, visit: Visit) {
  const params = { id: visit.request.params["id"] ?? "" };
  const nowMs = deps.nowMs();
  const location = await ask(visit, getPrivateLocation, { params });
  const row = await deps.locations.byUuid(visit.account.id, location.id);
  if (row === undefined) throw new AppError("not_found", locationTexts.missing);
  const [sessions, depths, waits, missed, history, errors, hosts] = await Promise.all([
    deps.agents.ofLocations([row.id], nowMs - agentsShownMs),
    deps.jobs.queueDepths(nowMs),
    deps.locationFigures.waits(row.id, nowMs - hourMs, checksOfLag),
    deps.locationFigures.missed(row.id, nowMs - dayMs, mostMissed),
    deps.locations.queueHistory(row.id, nowMs - dayMs, nowMs + 1),
    ask(visit, listPrivateLocationErrorEvents, { params, query: { limit: "20" } }),
    ask(visit, listLocationHosts, { params }),
  ]);
  const samples = history.map(({ atMs, queueSize, oldestSeconds }) => ({ atMs, queueSize, oldestMs: oldestSeconds * 1_000 }));
  const queue = queueOf(depths, row.id, nowMs);
  const agents = agentsOf(sessions, nowMs, deps.agentGoneMs);
  const signs = { agents, lastSeenAtMs: row.lastSeenAtMs, waitPercent: waitPercent(deps, queue), nowMs };
  const lastHour = samples.filter(({ atMs }) => atMs >= nowMs - hourMs).map(({ oldestMs }) => oldestMs);
  const longestWaitMs = Math.max(queue.oldestWaitMs ?? 0, ...lastHour);
  const advice: readonly Advice[] = adviceFor({ ...signs, longestWaitMs, queueWaitMs: deps.queueWaitMs });
  return {
    location,
    ...signs,
    state: stateOfLocation(signs),
    queue,
    lag: lagOf(waits),
    missed,
    day: { fromMs: nowMs - dayMs, toMs: nowMs, buckets: queueBuckets(samples, nowMs - dayMs, nowMs, bucketsOfDay) },
    errors: errors.items,
    errorTotal: errors.total,
    hosts,
    users: await usersOf(deps, visit, row.id),
    advice,
  };
}

/** What keeps a location from being deleted. */
export interface LocationUsers {
  readonly links: readonly { readonly href: string; readonly name: string }[];
  readonly hasMore: boolean;
}

async function usersOf({ locations, checkIndex, checkGroups }: LocationReadDeps, visit: Visit, locationId: number): Promise<LocationUsers> {
  const { checks, groups } = await locations.users(locationId, usersNamed + 1);
  const [named, namedGroups] = await Promise.all([
    checkIndex.byUuids(visit.account.id, checks.slice(0, usersNamed)),
    checkGroups.byIds(visit.account.id, groups.slice(0, usersNamed)),
  ]);
  const links = [
    ...namedGroups.map(({ id, settings }) => ({ href: `/groups/${id}`, name: settings.name })),
    ...named.map(({ uuid, name }) => ({ href: `/checks/${uuid}`, name })),
  ];
  return { links: links.slice(0, usersNamed), hasMore: links.length > usersNamed || Math.max(checks.length, groups.length) > usersNamed };
}

export type LocationReading = Awaited<ReturnType<typeof readLocation>>;

function queueOf(depths: readonly QueueDepth[], locationId: number, nowMs: number): Queue {
  const { queued = 0, leased = 0, oldestDueMs = null } = depths.find((depth) => depth.locationId === locationId) ?? {};
  return { queued, leased, oldestWaitMs: oldestDueMs === null ? null : Math.max(0, nowMs - oldestDueMs) };
}

function waitPercent({ queueWaitMs }: LocationReadDeps, { oldestWaitMs }: Queue): number | null {
  return oldestWaitMs === null ? null : (100 * oldestWaitMs) / queueWaitMs;
}

function lagOf(waits: readonly number[]): { readonly p50: number; readonly p99: number } | null {
  if (waits.length === 0) return null;
  const values = new ExactValues();
  for (const wait of waits) values.add(wait);
  return { p50: values.quantile(0.5), p99: values.quantile(0.99) };
}
