import { type Cause, type Evidence, surestFirst } from "./cause.ts";
import { lengthWords, momentWords } from "./cause-facts.ts";
import { evidencePieces } from "./evidence-list.ts";
import type { HeartbeatFacts } from "./heartbeat-facts.ts";
import { changeCauses } from "./rules/changes.ts";
import { missedTogether, notTaken } from "./rules/missed-together.ts";
import { cameLate, otherSender, pingEvidence, stopped, tightTimes, tooOften } from "./rules/pings.ts";
import { heldWindow } from "./rules/surroundings.ts";

/** As of failures: what is around it first, what happened before it last. */
const rules: readonly ((facts: HeartbeatFacts) => readonly Cause[])[] = [
  ({ windows, missedAtMs }) => heldWindow(windows, missedAtMs, "no ping came"),
  notTaken,
  missedTogether,
  cameLate,
  tightTimes,
  otherSender,
  tooOften,
  stopped,
  (facts) => changeCauses({ ...facts, sinceMs: facts.missedAtMs }, "was missed", null),
];

/** Why a heartbeat was likely missed, the surest first. */
export function findHeartbeatCauses(facts: HeartbeatFacts): readonly Cause[] {
  return surestFirst(rules.flatMap((rule) => rule(facts)));
}

/** What a miss means, in a sentence. */
export function heartbeatImpact({ check, missedAtMs, cameAtMs, pings: [last] }: HeartbeatFacts): string {
  const since = last === undefined ? "" : ` after ${momentWords(last.atMs)}`;
  if (cameAtMs !== null) return `${check.name} had no ping${since} until ${momentWords(cameAtMs)}; it is pinged again.`;
  return `${check.name} has had no ping${since}: what it watches may not run. The alert was due ${momentWords(missedAtMs)}.`;
}

/** What a model may speak of. */
export function heartbeatEvidence(facts: HeartbeatFacts, causes: readonly Cause[]): readonly Evidence[] {
  const { check, periodMs, graceMs, missedAtMs, pings, others } = facts;
  const of = { kind: "check", checkId: check.id } as const;
  return evidencePieces([
    { says: `A ping is due every ${lengthWords(periodMs)}, and may be ${lengthWords(graceMs)} late`, of },
    { says: `No ping came by ${momentWords(missedAtMs)}`, of },
    ...pings.slice(0, 10).map((ping) => pingEvidence(check.id, ping)),
    ...causes.flatMap(({ evidence }) => evidence),
    ...others.slice(0, 10).map(({ checkId, name, isMissed }) => ({
      says: `The heartbeat ${name} ${isMissed ? "was missed" : "was pinged"} at that time`,
      of: { kind: "check", checkId } as const,
    })),
  ]);
}
