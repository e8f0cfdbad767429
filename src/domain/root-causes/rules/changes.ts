import type { Cause, CauseKind } from "../cause.ts";
import { type CauseFacts, type ChangeFact, lengthWords, listWords, momentWords, ofRun } from "../cause-facts.ts";

const whats: Readonly<Record<ChangeFact["what"], string>> = {
  check: "the check",
  group: "the check's group",
  variable: "a variable",
  snippet: "a snippet",
  certificate: "a client certificate",
  location: "the location",
  deployment: "",
};
const minuteMs = 60_000;
const told = 3;

/** What changed between the last good run and the first failed one: not why, but often what. */
export function changes({ check, sinceMs, changes: all, good: [last] }: CauseFacts): readonly Cause[] {
  // A run that started just before may have met it, too.
  const before = all.filter(({ atMs }) => atMs <= sinceMs + minuteMs);
  return before.slice(0, told).map(({ what, atMs, by, fields }) => {
    const kind: CauseKind = what === "deployment" ? "deployment" : "edit";
    const length = lengthWords(Math.max(sinceMs - atMs, 0));
    const which = fields.length === 0 ? "" : ` (${listWords(fields, 4)})`;
    const done = what === "deployment" ? `${by} deployed` : `${by} changed ${whats[what]}${which}`;
    const isOwn = what === "check" || what === "group";
    const isClose = sinceMs - atMs < 15 * minuteMs;
    return {
      kind,
      text: `${done} ${length} before it began to fail.`,
      confidence: isOwn || isClose ? ("medium" as const) : ("low" as const),
      evidence: [
        { says: `${done} at ${momentWords(atMs)}`, of: { kind: "audit-log", atMs } as const },
        ...(last === undefined ? [] : [{ says: "the last run before that passed", of: ofRun(last) }]),
        { says: check.name, of: { kind: "check", checkId: check.id } as const },
      ].slice(0, 2),
    };
  });
}
