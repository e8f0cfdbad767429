import { type CauseFacts, listWords, momentWords, standingWords } from "./cause-facts.ts";

/** Whom a failure strikes, in a sentence: where the check fails, and since when. */
export function impactOf({ check, failure, places, sinceMs, standing }: CauseFacts): string {
  const since = momentWords(sinceMs);
  if (failure.resultId === null) return `Test sessions failed with this error, the last time at ${since}.`;
  const failing = places.filter(({ isFailing }) => isFailing);
  if (failing.length === 0)
    return `${check.name} ${standingWords[standing].was} at ${failure.location} at ${momentWords(failure.startedAtMs)} and passes again.`;
  const where =
    failing.length === places.length && places.length > 1
      ? `all ${places.length} locations`
      : listWords(failing.map(({ location }) => location));
  return `${check.name} has been ${standing} at ${where} since ${since}.`;
}
