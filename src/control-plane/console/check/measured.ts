import { type CheckAlert, listAlertsOfCheck } from "#contract/check-alerts.ts";
import { type CheckCoverage, getCoverageOfCheck } from "#contract/check-coverage.ts";
import { type CheckGap, listGapsOfCheck } from "#contract/check-gaps.ts";
import { type CheckResult, listCheckResultsV2 } from "#contract/check-results.ts";
import { isPinged } from "#contract/checks/traits.ts";
import { type ErrorGroup, listErrorGroupsOfCheck } from "#contract/error-groups.ts";
import { listStatusPageIncidents } from "#contract/status-pages/incidents.ts";
import { getStatusPageService } from "#contract/status-pages/services.ts";
import { hasCode } from "#domain/app-error.ts";
import type { HeldWindow } from "#domain/check-notices.ts";
import type { ChangeFact } from "#domain/root-causes/cause-facts.ts";
import { type ChangeDeps, readChanges } from "../../root-causes/read-changes.ts";
import type { CheckSituationStore, CheckStore } from "../../storage/storage.ts";
import type { Ask } from "../ask.ts";
import type { CheckRead } from "../check-types/check-type.ts";
import type { IncidentRead } from "../incidents/incident-words.ts";
import { named, namedGap } from "../place-names.ts";
import type { Visit } from "../visit.ts";
import { type Figures, figuresOf } from "./figures.ts";
import { type PingDeps, type Pings, pingsOf } from "./pings.ts";
import { type AskedRange, daysBefore, type Range } from "./range.ts";

/** Which check a page looks at, and what of it. */
export interface Looked {
  readonly check: CheckRead;
  readonly range: Range;
  readonly asked: AskedRange;
  /** Locations that the address names. */
  readonly chosen: readonly string[];
  readonly nowMs: number;
}

/** What a check measured over a range, and what was told of it: what changes with its results. */
export interface Measured extends Looked {
  /** Of checks that run. */
  readonly figures: Figures | null;
  /** Of the same time some weeks before; null where that is not asked for. */
  readonly before: Figures | null;
  /** Of heartbeats. */
  readonly pings: Pings | null;
  /** The newest. */
  readonly alerts: readonly CheckAlert[];
  /** Those of the range. */
  readonly alertsThen: readonly CheckAlert[];
  /** When maintenance windows held for it in the range, the earliest first. */
  readonly maintenance: readonly HeldWindow[];
  /** What was edited or deployed in the range, the newest first. */
  readonly changes: readonly ChangeFact[];
  /** Slots of the range that never became a run. */
  readonly gaps: readonly CheckGap[];
  /** Of the range; null for heartbeats. */
  readonly coverage: CheckCoverage | null;
  readonly errors: readonly ErrorGroup[];
  /** The newest failed runs of the last day, at most `failuresAtMost`: which error each had. */
  readonly failures: readonly FailedRun[];
  /** Of the status page's service that the check is bound to. */
  readonly incidents: readonly IncidentRead[];
  /** What its failures open an incident of; null: they open none. */
  readonly struck: StruckService | null;
}

const failedFields = ["id", "errorGroupIds", "startedAt", "runLocation"] as const satisfies readonly (keyof CheckResult)[];
export type FailedRun = Pick<CheckResult, (typeof failedFields)[number]>;

export interface StruckService {
  readonly severity: IncidentRead["severity"];
  /** Null: the service is gone. */
  readonly name: string | null;
}

export interface ChartDeps extends PingDeps, Pick<ChangeDeps, "locations"> {
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly auditLog: ChangeDeps["audit"];
}

export interface MeasuredDeps extends ChartDeps {
  readonly checkSituations: Pick<CheckSituationStore, "maintenance">;
  readonly ask: Ask;
}

export async function measuredOf(deps: MeasuredDeps, visit: Visit, looked: Looked): Promise<Measured> {
  const { ask } = deps;
  const { check, range, asked } = looked;
  const earlierMs = asked.isCompared ? daysBefore(range) * dayMs : 0;
  const earlier = { ...looked, range: { fromMs: range.fromMs - earlierMs, toMs: range.toMs - earlierMs } };
  const ofCheck = { checkId: check.id };
  const then = { from: String(range.fromMs), to: String(range.toMs), limit: "100" };
  const [figures, before, pings, alerts, alertsThen, maintenance, changes, gaps, coverage, errors, incidents, struck] = await Promise.all([
    figuresOf(ask, visit, looked),
    asked.isCompared ? figuresOf(ask, visit, earlier) : null,
    pingsOf(deps, visit, check, range),
    ask(visit, listAlertsOfCheck, { params: ofCheck, query: { limit: "10" } }),
    ask(visit, listAlertsOfCheck, { params: ofCheck, query: then }),
    maintenanceOf(deps, visit, looked),
    changesOf(deps, visit, looked),
    ask(visit, listGapsOfCheck, { params: { id: check.id }, query: then }),
    isPinged(check.checkType)
      ? null
      : ask(visit, getCoverageOfCheck, { params: { id: check.id }, query: { from: then.from, to: then.to } }),
    ask(visit, listErrorGroupsOfCheck, { params: ofCheck, query: { limit: "10" } }),
    incidentsOf(ask, visit, check),
    struckBy(ask, visit, check),
  ]);
  const failures = await failuresOf(ask, visit, looked, errors.items);
  const told = {
    alerts: alerts.items.map((one) => named(visit, one)),
    alertsThen: alertsThen.items.map((one) => named(visit, one)),
    maintenance,
    changes,
    gaps: gaps.items.map((one) => namedGap(visit, one)),
    coverage: coverage && {
      ...coverage,
      locations: coverage.locations.map((one) => ({ ...one, location: visit.placeName(one.location) })),
    },
    errors: errors.items,
    failures: failures.map((one) => named(visit, one)),
    incidents,
    struck,
  };
  return { ...looked, figures, before, pings, ...told };
}

/** More than these cannot be told apart in a chart. */
const mostWindows = 200;

async function maintenanceOf(
  { checkIndex, checkSituations }: MeasuredDeps,
  visit: Visit,
  { check, range }: Looked,
): Promise<readonly HeldWindow[]> {
  const [known] = await checkIndex.byUuids(visit.account.id, [check.id]);
  if (known === undefined) return [];
  return (await checkSituations.maintenance(known, range.fromMs, range.toMs)).slice(-mostWindows);
}

async function changesOf(deps: MeasuredDeps, visit: Visit, { check, range }: Looked): Promise<readonly ChangeFact[]> {
  const known = await deps.checks.byUuid(visit.account.id, check.id);
  return known === undefined ? [] : readChanges({ ...deps, audit: deps.auditLog }, known, range);
}

/** One read of the newest failures counts the runs of each error: no more are read, however many there are. */
export const failuresAtMost = 100;
const dayMs = 86_400_000;

async function failuresOf(ask: Ask, visit: Visit, { check, nowMs }: Looked, errors: readonly ErrorGroup[]): Promise<readonly FailedRun[]> {
  const fromMs = nowMs - dayMs;
  if (!errors.some(({ lastSeen }) => Date.parse(lastSeen) >= fromMs)) return [];
  const query = { from: String(fromMs), hasFailures: "true", limit: String(failuresAtMost), fields: failedFields.join(",") };
  const { entries } = await ask(visit, listCheckResultsV2, { params: { checkId: check.id }, query });
  return entries as readonly FailedRun[]; // with the fields that were asked for
}

/** Those of the service that the check opens incidents of, the newest first. */
async function incidentsOf(ask: Ask, visit: Visit, check: CheckRead): Promise<readonly IncidentRead[]> {
  const serviceId = check.triggerIncident?.serviceId.toLowerCase();
  if (serviceId === undefined) return [];
  const { entries } = await ask(visit, listStatusPageIncidents, { query: { limit: "100" } });
  return entries.filter(({ services }) => services.some(({ id }) => id === serviceId));
}

async function struckBy(ask: Ask, visit: Visit, check: CheckRead): Promise<StruckService | null> {
  if (check.triggerIncident === null) return null;
  const { serviceId, severity = "MINOR" } = check.triggerIncident;
  try {
    const { name } = await ask(visit, getStatusPageService, { params: { serviceId } });
    return { severity, name };
  } catch (error) {
    if (!hasCode(error, "not_found")) throw error;
    return { severity, name: null };
  }
}
