import type { CheckTypeName } from "#contract/primitives.ts";
import type { HeldWindow } from "../check-notices.ts";
import type { EvidenceOf } from "./cause.ts";
import type { ScriptFacts } from "./script-facts.ts";
import type { Seen } from "./seen.ts";

/** One run at one location. */
export interface RunFact {
  readonly checkId: string;
  /** Null: it is stored nowhere; only its message is known. */
  readonly resultId: string | null;
  /** As people call it. */
  readonly location: string;
  readonly startedAtMs: number;
  readonly responseTimeMs: number;
  /** What failed, in a sentence; null where nothing did. */
  readonly error: string | null;
  readonly isDegraded: boolean;
  /** The agent's own side spoiled it. */
  readonly agentSide: boolean;
  readonly seen: Seen;
}

/** How a check did at one location while this one failed. */
export interface PlaceFact {
  readonly location: string;
  readonly failed: number;
  readonly passed: number;
  /** The newest run failed. */
  readonly isFailing: boolean;
  /** The newest that failed; where none did, the newest. */
  readonly resultId: string;
}

export interface OtherCheckFact {
  readonly checkId: string;
  readonly name: string;
  readonly host: string | null;
  readonly places: readonly PlaceFact[];
}

/** Something that somebody changed. */
export interface ChangeFact {
  readonly what: "check" | "group" | "variable" | "snippet" | "certificate" | "location" | "deployment";
  readonly atMs: number;
  /** As people know him. */
  readonly by: string;
  /** Names of what was given; never values. */
  readonly fields: readonly string[];
}

/** How the check stands that is asked about. */
export type Standing = "failing" | "degraded";

/** All that rules look at. Lists are bounded by whoever reads them. */
export interface CauseFacts {
  readonly standing: Standing;
  readonly check: { readonly id: string; readonly name: string; readonly type: CheckTypeName; readonly host: string | null };
  /** The newest run that failed for the reason that is asked about; of a degraded check the newest that was degraded. */
  readonly failure: RunFact;
  /** The last runs at the same location that passed before, the newest first. */
  readonly good: readonly RunFact[];
  /** Start of the first run in a row that did not pass. */
  readonly sinceMs: number;
  /** Of this check, while it failed. */
  readonly places: readonly PlaceFact[];
  /** Others of the account that ran while it failed: those that failed, too, and some that did not. */
  readonly others: readonly OtherCheckFact[];
  /** What a traceroute of the failed run says, as its file has it; null: there is none. */
  readonly trace: { readonly file: string; readonly conclusion: string } | null;
  /** From the last good run on, the newest first. */
  readonly changes: readonly ChangeFact[];
  /** That held when it failed. */
  readonly windows: readonly HeldWindow[];
  /** Null: it is none of a script. */
  readonly script: ScriptFacts | null;
  /** The agents of the location changed their version between the last good run and the failure. */
  readonly agentChange: { readonly before: string; readonly after: string; readonly atMs: number } | null;
}

/** Evidence of the run that failed. */
export function ofRun({ checkId, resultId }: Pick<RunFact, "checkId" | "resultId">, file?: string): EvidenceOf {
  return resultId === null ? { kind: "message" } : { kind: "result", checkId, resultId, ...(file !== undefined && { file }) };
}

/** How sentences say that checks do not simply pass. Others beside a degraded one may fail outright. */
export const standingWords: Readonly<
  Record<Standing, { readonly one: string; readonly other: string; readonly many: string; readonly began: string; readonly was: string }>
> = {
  failing: { one: "fails", other: "fails", many: "fail", began: "began to fail", was: "failed" },
  degraded: {
    one: "is degraded",
    other: "is degraded or fails",
    many: "are degraded or fail",
    began: "became degraded",
    was: "was degraded",
  },
};

/** `3 minutes`, `2 hours`: between two moments. */
export function lengthWords(ms: number): string {
  const minutes = Math.max(Math.round(ms / 60_000), 0);
  if (minutes < 1) return "less than a minute";
  if (minutes < 120) return minutes === 1 ? "1 minute" : `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}

/** `2026-11-26 10:41 UTC`. */
export function momentWords(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** `340 ms`, `1.2 s`. */
export function msWords(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** The middle one of what was measured; null where nothing was. */
export function usualOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}

/** `a, b and c`; of more than `most` the rest is counted. */
export function listWords(names: readonly string[], most = 5): string {
  const told = names.length > most ? [...names.slice(0, most), `${names.length - most} more`] : names;
  return told.length < 2 ? (told[0] ?? "") : `${told.slice(0, -1).join(", ")} and ${told.at(-1)}`;
}
