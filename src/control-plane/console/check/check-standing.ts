import { listCheckResultsV2 } from "#contract/check-results.ts";
import type { CheckNotice, HeldWindow } from "#domain/check-notices.ts";
import { type CheckState, stateOf } from "#domain/check-state.ts";
import { type NoticeDeps, noticesOf } from "../../pages/dashboards/shown-checks.ts";
import type {
  CheckIndexStore,
  CheckSituationStore,
  CheckTrouble,
  CheckTroubleStore,
  IndexedCheck,
  TroubledPlace,
} from "../../storage/storage.ts";
import type { Ask } from "../ask.ts";
import type { Visit } from "../visit.ts";
import { longestTroubled } from "./standing.ts";

/** How a check stands by the newest run of each location, whatever time its page looks at. */
export interface CheckStandingRead {
  readonly state: CheckState;
  readonly trouble: CheckTrouble | null;
  /** Start of the last run that passed before it did not; null where that is not known. */
  readonly lastGoodMs: number | null;
  /** Until when it is muted for a while; null: it is not. */
  readonly mutedUntilMs: number | null;
}

/** With what is around it, whatever its runs were. */
export interface CheckSurroundings extends CheckStandingRead {
  readonly notices: readonly CheckNotice[];
  readonly group: { readonly id: number; readonly name: string } | null;
  /** The next window that will hold for it, within a week; null: none is planned. */
  readonly planned: HeldWindow | null;
}

export interface StandingDeps extends NoticeDeps {
  readonly checkSituations: CheckSituationStore;
  readonly checkIndex: Pick<CheckIndexStore, "byUuids">;
  readonly checkTroubles: CheckTroubleStore;
}

const plannedWithinMs = 7 * 86_400_000;

export async function standingOf(
  deps: StandingDeps & { readonly ask: Ask },
  visit: Visit,
  checkId: string,
  nowMs: number,
): Promise<CheckSurroundings> {
  const [known] = await deps.checkIndex.byUuids(visit.account.id, [checkId]);
  const nothing = { trouble: null, lastGoodMs: null, mutedUntilMs: null, notices: [], group: null, planned: null };
  if (known === undefined) return { state: stateOf({ type: "URL", latest: null }, nowMs), ...nothing };
  const [standing, notices, windows] = await Promise.all([
    standingOfKnown(deps, visit, known, nowMs),
    noticesOf(deps, [known], nowMs),
    deps.checkSituations.maintenance(known, nowMs, nowMs + plannedWithinMs),
  ]);
  const planned = windows.find(({ startsAtMs }) => startsAtMs > nowMs) ?? null;
  const { ofGroup, groupName } = known;
  return { ...standing, notices: notices.get(known.id) ?? [], group: ofGroup && { id: ofGroup.id, name: groupName ?? "" }, planned };
}

export async function standingOfKnown(
  { checkTroubles, ask }: Pick<StandingDeps, "checkTroubles"> & { readonly ask: Ask },
  visit: Visit,
  known: IndexedCheck,
  nowMs: number,
): Promise<CheckStandingRead> {
  const state = stateOf(known, nowMs);
  const mutedUntilMs = stillMuted(known.mutedUntilMs, nowMs);
  if (state !== "failing" && state !== "degraded") return { state, trouble: null, lastGoodMs: null, mutedUntilMs };
  const trouble = (await checkTroubles.ofChecks([known.id], nowMs)).get(known.id) ?? null;
  return { state, trouble, lastGoodMs: await lastGood(ask, visit, known.uuid, longestTroubled(state, trouble)), mutedUntilMs };
}

function stillMuted(untilMs: number | null, nowMs: number): number | null {
  return untilMs !== null && untilMs > nowMs ? untilMs : null;
}

/** Further back nobody asks: a read of failures alone would become long. */
const lookBackMs = 86_400_000;

async function lastGood(ask: Ask, visit: Visit, checkId: string, place: TroubledPlace | undefined): Promise<number | null> {
  if (place === undefined) return null;
  const { sinceMs, locationCode: location } = place;
  if (location === "") return null;
  const query = {
    from: String(sinceMs - lookBackMs),
    to: String(sinceMs),
    hasFailures: "false",
    location,
    limit: "1",
    fields: "startedAt",
  };
  const { entries } = await ask(visit, listCheckResultsV2, { params: { checkId }, query });
  const { startedAt } = entries[0] ?? {};
  return startedAt === undefined || startedAt === null ? null : Date.parse(startedAt);
}
