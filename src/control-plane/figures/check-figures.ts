import { isPinged, traitsOf } from "#contract/checks/traits.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { Distribution } from "#domain/statistics/distribution.ts";
import type { TimeWindow } from "#domain/time-range.ts";
import type { AnalyticsStore, MetricColumn, RunFigures } from "../storage/analytics-store.ts";
import type { HeartbeatStore, HeartbeatWindow } from "../storage/heartbeat-store.ts";
import { columnOf } from "./analytics-columns.ts";

export interface CheckFigureDeps {
  readonly analytics: Pick<AnalyticsStore, "summarize">;
  readonly heartbeats: Pick<HeartbeatStore, "availability">;
}

interface MeasuredCheck {
  readonly id: number;
  readonly type: CheckTypeName;
}

/** Figures of many checks over one window, by check id. One question for each set of columns, however many checks. */
export async function figuresOf(
  { analytics, heartbeats }: CheckFigureDeps,
  checks: readonly MeasuredCheck[],
  window: TimeWindow,
  columns: (type: CheckTypeName) => readonly MetricColumn[],
): Promise<ReadonlyMap<number, RunFigures>> {
  const parts = Map.groupBy(checks, ({ type }) => `${traitsOf(type).results} ${columns(type).join()}`);
  const answers = await Promise.all(
    [...parts.values()].map((ofPart) => {
      const checkIds = ofPart.map(({ id }) => id);
      if (ofPart.some(({ type }) => isPinged(type))) return heartbeatFigures(heartbeats, checkIds, window);
      return analytics.summarize({ ...window, checkIds, metrics: ofPart.slice(0, 1).flatMap(({ type }) => columns(type)) });
    }),
  );
  return new Map(answers.flatMap((answer) => [...answer]));
}

/** Every event counts as a run, and passed unless it is an alert. */
export async function heartbeatFigures(
  heartbeats: CheckFigureDeps["heartbeats"],
  checkIds: readonly number[],
  window: HeartbeatWindow,
): Promise<ReadonlyMap<number, RunFigures>> {
  const counted = await heartbeats.availability(checkIds, window);
  return new Map(
    counted.map(({ checkId, pings, alerts }) => {
      return [checkId, { runs: pings + alerts, passed: pings, degraded: 0, retries: 0, metrics: new Map() }];
    }),
  );
}

/** Where results tell the time that pages show. */
export function shownTimeColumns(type: CheckTypeName): readonly MetricColumn[] {
  const column = columnOf(type, traitsOf(type).shownTime);
  return column === null ? [] : [column];
}

/** The time that pages show, ms; of figures that were asked for with `shownTimeColumns`. */
export function shownTimeOf(type: CheckTypeName, figures: RunFigures | undefined): Distribution | undefined {
  const [column] = shownTimeColumns(type);
  return column === undefined ? undefined : figures?.metrics.get(column);
}

/** Where results tell how long they took. */
export function durationColumns(type: CheckTypeName): readonly MetricColumn[] {
  const column = columnOf(type, traitsOf(type).duration);
  return column === null ? [] : [column];
}

/** How long a check took, ms; of figures that were asked for with `durationColumns`. */
export function durationOf(type: CheckTypeName, figures: RunFigures | undefined): Distribution | undefined {
  const [column] = durationColumns(type);
  return column === undefined ? undefined : figures?.metrics.get(column);
}
