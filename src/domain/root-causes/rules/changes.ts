import type { Cause, CauseKind, Evidence } from "../cause.ts";
import { type CauseFacts, type ChangeFact, lengthWords, listWords, momentWords, ofRun, standingWords } from "../cause-facts.ts";

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
export function changes({ check, sinceMs, changes: all, good: [last], standing }: CauseFacts): readonly Cause[] {
  const before = last === undefined ? null : { says: "the last run before that passed", of: ofRun(last) };
  return changeCauses({ check, sinceMs, changes: all }, standingWords[standing].began, before);
}

/** @param began what happened then, as `began to fail` @param lastGood what shows that it was well before; null: nothing does */
export function changeCauses(
  { check, sinceMs, changes: all }: Pick<CauseFacts, "sinceMs" | "changes"> & { readonly check: Pick<CauseFacts["check"], "id" | "name"> },
  began: string,
  lastGood: Evidence | null,
): readonly Cause[] {
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
      text: `${done} ${length} before it ${began}.`,
      confidence: isOwn || isClose ? ("medium" as const) : ("low" as const),
      evidence: [
        { says: `${done} at ${momentWords(atMs)}`, of: { kind: "audit-log", atMs } as const },
        ...(lastGood === null ? [] : [lastGood]),
        { says: check.name, of: { kind: "check", checkId: check.id } as const },
      ].slice(0, 2),
    };
  });
}
