import type { StatusPageIncident } from "#contract/status-pages/incidents.ts";
import { latestFirst, type StatusPageIncidentDefinition, statusOf } from "./incidents.ts";

/*
 * How services of status pages went, day by day in UTC. It follows from incidents alone: a service has no results of its own.
 */

export type Severity = StatusPageIncident["severity"];

/** The worst first. */
export const severities = ["CRITICAL", "MAJOR", "MEDIUM", "MINOR"] as const satisfies readonly Severity[];

/** An incident, as far as history follows from it. */
export interface IncidentSpan {
  readonly severity: Severity;
  readonly fromMs: number;
  /** Null while it is open. */
  readonly toMs: number | null;
}

export interface HistoryDay {
  /** Its midnight. */
  readonly startMs: number;
  /** Null: none. */
  readonly worst: Severity | null;
  /** For how long incidents of any severity went on. */
  readonly struckMs: number;
  /** False before there was the service: before it was made, and before its first incident. */
  readonly isKnown: boolean;
}

export interface ServiceHistory {
  /** The oldest first; the last one is today. */
  readonly days: readonly HistoryDay[];
  /** Percent of the time without a CRITICAL or MAJOR incident; null for a service that is not known for a day yet. */
  readonly uptime: number | null;
  /** Of those that are open; null where none is. */
  readonly current: Severity | null;
}

export const dayMs = 86_400_000;

/** From its first update to the one that resolved it, as pages tell the times. */
export function spanOf({ severity, updates }: StatusPageIncidentDefinition, createdAtMs: number): IncidentSpan {
  const sorted = latestFirst(updates);
  const fromMs = sorted.at(-1)?.publicAtMs ?? createdAtMs;
  return { severity, fromMs, toMs: statusOf(updates) === "RESOLVED" ? (sorted[0]?.publicAtMs ?? null) : null };
}

/** @param spans of the incidents that strike the service */
export function serviceHistory(spans: readonly IncidentSpan[], createdAtMs: number, nowMs: number, dayCount: number): ServiceHistory {
  const firstMs = (Math.floor(nowMs / dayMs) - dayCount + 1) * dayMs;
  const sinceMs = Math.min(createdAtMs, nowMs, ...spans.map(({ fromMs }) => fromMs));
  const days = Array.from({ length: dayCount }, (_, index) => dayOf(spans, sinceMs, nowMs, firstMs + index * dayMs));
  const fromMs = Math.max(firstMs, sinceMs);
  const downMs = coveredMs(spans.filter(isDown), fromMs, nowMs, nowMs);
  // Of two minutes, one is half: a share of less than a day says nothing, and looks as if the day had gone so.
  const uptime = nowMs - sinceMs >= dayMs ? 100 - (100 * downMs) / (nowMs - fromMs) : null;
  return { days, uptime, current: worstOf(spans.filter(({ fromMs: from, toMs }) => toMs === null && from <= nowMs)) };
}

export function worstOf(spans: readonly Pick<IncidentSpan, "severity">[]): Severity | null {
  return severities.find((severity) => spans.some((span) => span.severity === severity)) ?? null;
}

function isDown({ severity }: IncidentSpan): boolean {
  return severity === "CRITICAL" || severity === "MAJOR";
}

function dayOf(spans: readonly IncidentSpan[], sinceMs: number, nowMs: number, startMs: number): HistoryDay {
  const endMs = startMs + dayMs;
  const striking = spans.filter(({ fromMs, toMs }) => fromMs <= nowMs && fromMs < endMs && (toMs ?? nowMs) >= startMs);
  return {
    startMs,
    worst: worstOf(striking),
    struckMs: coveredMs(striking, startMs, endMs, nowMs),
    isKnown: endMs > sinceMs,
  };
}

/** How much of a window at least one of the spans covers. */
function coveredMs(spans: readonly IncidentSpan[], fromMs: number, toMs: number, nowMs: number): number {
  let [covered, reached] = [0, fromMs];
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const begin = Math.max(span.fromMs, reached);
    const end = Math.min(span.toMs ?? nowMs, toMs);
    if (end <= begin) continue;
    covered += end - begin;
    reached = end;
  }
  return covered;
}
