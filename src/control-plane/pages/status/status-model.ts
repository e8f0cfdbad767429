import type { MaintenanceStatus } from "#contract/maintenances.ts";
import { latestFirst, type StatusPageIncidentDefinition, type StoredIncidentUpdate, statusOf } from "#domain/incidents.ts";
import { timeOf } from "#domain/maintenance.ts";
import type { MaintenanceRecord } from "#domain/maintenance-effects.ts";
import { isShownOn } from "#domain/maintenance-news.ts";
import { isOver, statusOf as maintenanceStatusOf } from "#domain/maintenance-updates.ts";
import { dayMs, type IncidentSpan, type ServiceHistory, type Severity, serviceHistory, spanOf } from "#domain/service-history.ts";
import type { StatusPageDefinition } from "#domain/status-pages.ts";
import type { StoredWindow } from "../../kinds/maintenance-window.ts";
import { type KnownMaintenance, listed, rulesOf } from "../../kinds/maintenances-of-windows.ts";
import type { DocumentRow, DocumentStore } from "../../storage/storage.ts";

export type StatusPageRow = DocumentRow<StatusPageDefinition>;

export interface ShownService {
  readonly id: string;
  readonly name: string;
  readonly history: ServiceHistory;
  readonly isMaintained: boolean;
}

export interface ShownCard {
  readonly name: string;
  readonly services: readonly ShownService[];
}

export interface ShownIncident extends IncidentSpan {
  readonly id: string;
  readonly name: string;
  readonly status: StoredIncidentUpdate["status"];
  /** Names of the page's services that it strikes. */
  readonly services: readonly string[];
  /** The latest first. */
  readonly updates: readonly StoredIncidentUpdate[];
}

export interface ShownMaintenance {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: MaintenanceStatus;
  /** What readers have to expect of it; null where the window does not tell. */
  readonly severity: Severity | null;
  /** When its window was written last. */
  readonly announcedMs: number;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  /** Ids of all services that it affects. */
  readonly affects: ReadonlySet<string>;
  /** Names of the page's services that it affects; empty where the window does not tell. */
  readonly services: readonly string[];
  readonly updates: readonly { readonly status: MaintenanceStatus; readonly description: string; readonly createdAtMs: number }[];
}

export interface ShownStatus {
  readonly settings: StatusPageDefinition["settings"];
  readonly cards: readonly ShownCard[];
  /** Those that are open, and those that ended in the days of the history; the latest first. */
  readonly incidents: readonly ShownIncident[];
  /** Those that go on or come, the next one first. */
  readonly maintenances: readonly ShownMaintenance[];
  readonly nowMs: number;
}

export const historyDays = 90;
/** An answer stays bounded where a check opens incident after incident. */
const maxIncidents = 1_000;
const maxMaintenances = 10;

type Services = ReadonlyMap<string, DocumentRow<{ readonly name: string }>>;
type Documents = Pick<DocumentStore, "list" | "byUuids">;

/** Everything that a status page and its feeds show: five questions, however many services there are. */
export async function readStatus(documents: Documents, row: StatusPageRow, nowMs: number): Promise<ShownStatus> {
  const { accountId } = row;
  const { settings, cards } = row.definition;
  const wanted = [...new Set(cards.flatMap(({ serviceIds }) => serviceIds))];
  const recent = { newestFirst: true, limit: maxIncidents } as const;
  const [services, open, latest, windows, changed] = await Promise.all([
    documents.byUuids<{ readonly name: string }>(accountId, "status-page-service", wanted),
    documents.list<StatusPageIncidentDefinition>(accountId, "status-page-incident", { ...recent, open: true }),
    documents.list<StatusPageIncidentDefinition>(accountId, "status-page-incident", recent),
    documents.list<StoredWindow>(accountId, "maintenance-window"),
    documents.list<MaintenanceRecord>(accountId, "maintenance"),
  ]);
  const byId: Services = new Map(services.map((service) => [service.uuid, service]));
  const rows = new Map([...open.items, ...latest.items].map((one) => [one.id, one]));
  const incidents = [...rows.values()].filter(({ definition }) => definition.serviceIds.some((id) => byId.has(id)));
  const maintenances = shownMaintenances(row, byId, windows.items, changed.items, nowMs);
  const service = serviceReader(byId, incidents, maintenances, nowMs);
  return {
    settings,
    cards: cards.map(({ name, serviceIds }) => ({ name, services: serviceIds.flatMap((id) => service(id) ?? []) })),
    incidents: incidents
      .map((one) => shownIncident(one, byId))
      .filter(({ toMs }) => toMs === null || toMs > nowMs - historyDays * dayMs)
      .toSorted((a, b) => b.fromMs - a.fromMs),
    maintenances,
    nowMs,
  };
}

function serviceReader(
  services: Services,
  incidents: readonly DocumentRow<StatusPageIncidentDefinition>[],
  maintenances: readonly ShownMaintenance[],
  nowMs: number,
): (id: string) => ShownService | undefined {
  const going = maintenances.filter(({ status }) => status !== "SCHEDULED");
  const struck = new Map<string, IncidentSpan[]>();
  for (const { definition, createdAtMs } of incidents) {
    for (const id of definition.serviceIds) struck.set(id, [...(struck.get(id) ?? []), spanOf(definition, createdAtMs)]);
  }
  return (id) => {
    const row = services.get(id);
    if (row === undefined) return undefined;
    const { name } = row.definition;
    const history = serviceHistory(struck.get(id) ?? [], row.createdAtMs, nowMs, historyDays);
    return { id, name, history, isMaintained: going.some(({ affects }) => affects.has(id)) };
  };
}

function shownIncident({ uuid, definition, createdAtMs }: DocumentRow<StatusPageIncidentDefinition>, services: Services): ShownIncident {
  return {
    ...spanOf(definition, createdAtMs),
    id: uuid,
    name: definition.name,
    status: statusOf(definition.updates),
    services: namesOf(definition.serviceIds, services),
    updates: latestFirst(definition.updates),
  };
}

function namesOf(ids: readonly string[], services: Services): readonly string[] {
  return ids.flatMap((id) => services.get(id)?.definition.name ?? []);
}

function shownMaintenances(
  { uuid }: StatusPageRow,
  services: Services,
  windows: readonly DocumentRow<StoredWindow>[],
  changed: readonly DocumentRow<MaintenanceRecord>[],
  nowMs: number,
): readonly ShownMaintenance[] {
  const changedOf = Map.groupBy(changed, ({ parentId }) => parentId);
  return windows
    .filter(({ definition }) => isShownOn(uuid, (id) => services.has(id), definition.statusPageVisibility))
    .flatMap((window) => listed({ window, stored: changedOf.get(window.id) ?? [] }, nowMs))
    .map((one) => shownMaintenance(one, services, nowMs))
    .filter(({ status, startsAtMs }) => !isOver(status) && !Number.isNaN(startsAtMs))
    .toSorted((a, b) => a.startsAtMs - b.startsAtMs)
    .slice(0, maxMaintenances);
}

function shownMaintenance({ id, window, state }: KnownMaintenance, services: Services, nowMs: number): ShownMaintenance {
  const { name, description, timezone, statusPageVisibility } = window.definition;
  const { affectAllServices, serviceIds, showAffectedServices } = statusPageVisibility;
  const affected = affectAllServices ? [...services.keys()] : serviceIds.map((one) => one.toLowerCase());
  return {
    id,
    name,
    description,
    status: maintenanceStatusOf(state, rulesOf(window), nowMs),
    severity: statusPageVisibility.severity,
    announcedMs: window.updatedAtMs ?? window.createdAtMs,
    startsAtMs: timeOf(state.startsAt, timezone) ?? Number.NaN,
    endsAtMs: timeOf(state.endsAt, timezone) ?? Number.NaN,
    affects: new Set(affected),
    services: showAffectedServices ? namesOf(affected, services) : [],
    updates: state.updates.toReversed(),
  };
}
