import { isPinged } from "#contract/checks/traits.ts";
import type { HeartbeatState } from "#domain/heartbeat.ts";
import type { HeartbeatEventRow, HeartbeatStore } from "../../storage/heartbeat-store.ts";
import type { IndexedCheck, ResultRow, ResultStore } from "../../storage/storage.ts";
import { dashboardTexts as texts } from "../../texts/dashboards.ts";
import type { Tone } from "../../view/state-label.ts";

/** One run at one location, or one event of a heartbeat. */
export interface ShownRun {
  readonly atMs: number;
  /** Null for what ran nowhere. */
  readonly location: string | null;
  readonly tone: Tone;
  readonly outcome: string;
  /** Milliseconds; null where nothing was measured. */
  readonly responseTimeMs: number | null;
}

export interface LatestRunDeps {
  readonly results: Pick<ResultStore, "list">;
  readonly heartbeats: Pick<HeartbeatStore, "events">;
}

const shownRuns = 50;

/** Newest first. */
export async function latestRuns({ results, heartbeats }: LatestRunDeps, check: IndexedCheck, nowMs: number): Promise<readonly ShownRun[]> {
  if (isPinged(check.type)) return (await heartbeats.events(check.id, { fromMs: 0, toMs: nowMs + 1, limit: shownRuns })).map(ofEvent);
  const { items } = await results.list({ checkId: check.id, limit: shownRuns, resultTypes: ["FINAL"], withDetails: false });
  return items.map(ofResult);
}

function ofResult(result: ResultRow): ShownRun {
  const [tone, outcome] = outcomeOf(result);
  const responseTimeMs = result.responseTimeMs > 0 ? result.responseTimeMs : null;
  return { atMs: result.startedAtMs, location: result.locationCode, tone, outcome, responseTimeMs };
}

function outcomeOf({ missedReason, isCancelled, agentSide, hasFailures, hasErrors, isDegraded }: ResultRow): readonly [Tone, string] {
  if (missedReason !== null) return ["none", texts.outcomes.missed];
  if (isCancelled) return ["none", texts.outcomes.cancelled];
  if (agentSide) return ["none", texts.outcomes.agentSide];
  if (hasFailures || hasErrors) return ["bad", texts.outcomes.failed];
  return isDegraded ? ["warn", texts.outcomes.degraded] : ["ok", texts.outcomes.passed];
}

const ofState: Readonly<Record<HeartbeatState, readonly [Tone, string]>> = {
  FAILING: ["bad", texts.outcomes.silent],
  EARLY: ["ok", texts.outcomes.ping],
  RECEIVED: ["ok", texts.outcomes.ping],
  GRACE: ["ok", texts.outcomes.ping],
  LATE: ["warn", texts.outcomes.latePing],
};

function ofEvent({ atMs, state }: HeartbeatEventRow): ShownRun {
  const [tone, outcome] = ofState[state];
  return { atMs, location: null, tone, outcome, responseTimeMs: null };
}
