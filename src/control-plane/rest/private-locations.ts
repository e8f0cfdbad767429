import {
  type AgentErrorEvent,
  createPrivateLocation,
  createPrivateLocationKey,
  deletePrivateLocation,
  deletePrivateLocationKey,
  getPrivateLocation,
  getPrivateLocationMetrics,
  listPrivateLocationErrorEvents,
  listPrivateLocations,
  type PrivateLocation,
  type PrivateLocationKey,
  type StoredPrivateLocation,
  updatePrivateLocation,
} from "#contract/private-locations.ts";
import { noProjectBindings } from "#contract/project-bindings.ts";
import { secretMask } from "#contract/variables.ts";
import { AppError } from "#domain/app-error.ts";
import { type Handler, handler } from "../http/handler.ts";
import { issueLocationKey } from "../keys/issue-key.ts";
import type { Sealing } from "../keys/sealing.ts";
import { instant, instantOrNull } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import { sealedProxyUrl, shownProxyUrl } from "../secrets/location-proxy.ts";
import type {
  AgentErrorRow,
  AgentErrorStore,
  AgentSessionRow,
  AgentStore,
  KeyRow,
  KeyStore,
  LocationRow,
  LocationStore,
} from "../storage/storage.ts";
import { lowestVersion, runningAgents } from "./running-agents.ts";

export interface PrivateLocationDeps {
  readonly locations: Pick<LocationStore, "create" | "list" | "byUuid" | "update" | "remove" | "queueHistory">;
  readonly keys: Pick<KeyStore, "create" | "ofLocation" | "remove">;
  readonly agents: Pick<AgentStore, "ofLocations">;
  readonly agentErrors: Pick<AgentErrorStore, "list">;
  readonly hashOf: (secret: string) => string;
  readonly sealing: Sealing;
  readonly nowMs: () => number;
  /** An agent that was not heard of for this long no longer counts as running. */
  readonly agentGoneMs: number;
}

export function privateLocationHandlers(deps: PrivateLocationDeps): readonly Handler[] {
  return [...locationHandlers(deps), ...keyHandlers(deps), errorEventsHandler(deps)];
}

function locationHandlers(deps: PrivateLocationDeps): readonly Handler[] {
  const { locations, keys, sealing, nowMs } = deps;
  return [
    handler(listPrivateLocations, async ({ query: { versions } }, { caller }) => {
      const rows = await locations.list(caller.account.id);
      const running = await agentsByLocation(deps, rows);
      return Promise.all(
        rows.map(async (row) => {
          const { runningAgents: byVersion, ...view } = readView(deps, row, await keys.ofLocation(row.id), running.get(row.id) ?? []);
          return versions ? { ...view, runningAgents: byVersion } : view;
        }),
      );
    }),
    handler(createPrivateLocation, async ({ body }, { caller }) => {
      const uuid = crypto.randomUUID();
      const { slugName: code, name, icon, hostLimit = null } = body;
      const accountId = caller.account.id;
      const proxyUrl = sealedProxyUrl(body.proxyUrl ?? null, sealing, { accountId, uuid }, null);
      const row = await locations.create({ accountId, uuid, code, name, icon, proxyUrl, hostLimit, nowMs: nowMs() });
      const { key, rawKey } = await issueLocationKey(deps, row);
      return { ...storedView(deps, row, []), keys: [{ ...keyView(key), rawKey }] };
    }),
    handler(getPrivateLocation, async ({ params: { id } }, { caller }) => {
      const row = await find(deps, caller.account.id, id);
      const running = await agentsByLocation(deps, [row]);
      return readView(deps, row, await keys.ofLocation(row.id), running.get(row.id) ?? []);
    }),
    handler(updatePrivateLocation, async ({ params: { id }, body }, { caller }) => {
      const before = await find(deps, caller.account.id, id);
      const { proxyUrl: sent = null, ...change } = body;
      // One that cannot be opened any more is read as asterisks alone.
      const proxyUrl = sent === secretMask ? before.proxyUrl : sealedProxyUrl(sent, sealing, before, before.proxyUrl);
      const row = await locations.update(caller.account.id, before.uuid, { ...change, proxyUrl, nowMs: nowMs() });
      if (row === undefined) throw notFound("private location", id);
      return storedView(deps, row, await keys.ofLocation(row.id));
    }),
    handler(deletePrivateLocation, async ({ params: { id } }, { caller }) => {
      if (!(await locations.remove(caller.account.id, id.toLowerCase()))) throw notFound("private location", id);
      return undefined;
    }),
    handler(getPrivateLocationMetrics, async ({ params: { id }, query: { from, to } }, { caller }) => {
      if (from > to) throw new AppError("invalid_input", '"from" must not be after "to"');
      const row = await find(deps, caller.account.id, id);
      const samples = await locations.queueHistory(row.id, from, to);
      return {
        timestamps: samples.map(({ atMs }) => instant(atMs)),
        queueSize: samples.map(({ queueSize }) => queueSize),
        oldestScheduledCheckRun: samples.map(({ oldestSeconds }) => oldestSeconds),
      };
    }),
  ];
}

function keyHandlers(deps: PrivateLocationDeps): readonly Handler[] {
  return [
    handler(createPrivateLocationKey, async ({ params: { id } }, { caller }) => {
      const { key, rawKey } = await issueLocationKey(deps, await find(deps, caller.account.id, id));
      return { ...keyView(key), rawKey };
    }),
    handler(deletePrivateLocationKey, async ({ params: { id, keyId } }, { caller }) => {
      const row = await find(deps, caller.account.id, id);
      if (!(await deps.keys.remove(row.id, keyId.toLowerCase()))) throw notFound("key", keyId);
      return undefined;
    }),
  ];
}

function errorEventsHandler(deps: PrivateLocationDeps): Handler {
  return handler(listPrivateLocationErrorEvents, async ({ params: { id }, query }, { caller }) => {
    const row = await find(deps, caller.account.id, id);
    const { items, total } = await deps.agentErrors.list(caller.account.id, row.id, query);
    return { items: items.map(errorEventView), total };
  });
}

function errorEventView({ id, firstSeenMs, lastSeenMs, ...told }: AgentErrorRow): AgentErrorEvent {
  return { ...told, id: String(id), firstSeen: instant(firstSeenMs), lastSeen: instant(lastSeenMs) };
}

async function find({ locations }: PrivateLocationDeps, accountId: number, id: string): Promise<LocationRow> {
  const row = await locations.byUuid(accountId, id.toLowerCase());
  if (row === undefined) throw notFound("private location", id);
  return row;
}

async function agentsByLocation(
  { agents, nowMs, agentGoneMs }: PrivateLocationDeps,
  rows: readonly LocationRow[],
): Promise<Map<number, AgentSessionRow[]>> {
  const sessions =
    rows.length === 0
      ? []
      : await agents.ofLocations(
          rows.map(({ id }) => id),
          nowMs() - agentGoneMs,
        );
  return Map.groupBy(sessions, ({ locationId }) => locationId);
}

function readView(
  deps: PrivateLocationDeps,
  row: LocationRow,
  keys: readonly KeyRow[],
  sessions: readonly AgentSessionRow[],
): PrivateLocation {
  const byVersion = runningAgents(sessions);
  return {
    ...storedView(deps, row, keys),
    lastSeen: instantOrNull(row.lastSeenAtMs),
    agentCount: byVersion.reduce((sum, { count }) => sum + count, 0),
    minAgentVersion: lowestVersion(byVersion.map(({ version }) => version)),
    runningAgents: byVersion,
    projectBindings: noProjectBindings,
  };
}

function storedView({ sealing }: PrivateLocationDeps, row: LocationRow, keys: readonly KeyRow[]): StoredPrivateLocation {
  return {
    id: row.uuid,
    name: row.name,
    slugName: row.code,
    icon: row.icon,
    created_at: instant(row.createdAtMs),
    updated_at: instantOrNull(row.updatedAtMs),
    keys: keys.map(keyView),
    proxyUrl: shownProxyUrl(row.proxyUrl, sealing, row),
    hostLimit: row.hostLimit,
  };
}

function keyView({ id, maskedKey, createdAtMs, updatedAtMs }: KeyRow): PrivateLocationKey {
  return { id, maskedKey, created_at: instant(createdAtMs), updated_at: instantOrNull(updatedAtMs) };
}
