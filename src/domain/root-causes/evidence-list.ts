import { oneLine } from "../alerting/plain-text.ts";
import type { Cause, Evidence } from "./cause.ts";
import { type CauseFacts, momentWords, ofRun, type PlaceFact, type Standing } from "./cause-facts.ts";
import { scriptEvidence } from "./script-facts.ts";

/** Of a list for a model, and characters of each. */
const [mostPieces, longestPiece] = [40, 400];

/** All that is known of a failure as sentences, each with where it stands: what a model may speak of. Each sentence once. */
export function evidenceList(facts: CauseFacts, causes: readonly Cause[]): readonly Evidence[] {
  const all = [
    ...ofFailure(facts),
    ...scriptEvidence(facts.script, ofRun(facts.failure)),
    ...causes.flatMap(({ evidence }) => evidence),
    ...ofPlaces(facts),
    ...ofOthers(facts),
  ];
  return evidencePieces(all);
}

/** Each sentence once, on one line, and no more of them than a model is sent. */
export function evidencePieces(all: readonly Evidence[]): readonly Evidence[] {
  const pieces = new Map(all.map(({ says, of }) => [oneLine(says, longestPiece), of]));
  return [...pieces].slice(0, mostPieces).map(([says, of]) => ({ says, of }));
}

function ofFailure({ failure, good: [last], sinceMs, standing }: CauseFacts): readonly Evidence[] {
  const { error, seen } = failure;
  const run = standing === "failing" ? "failed" : "degraded";
  const status = seen.statusCode === null ? "" : ` with status ${seen.statusCode}`;
  const place = failure.location === "" ? "" : ` at ${failure.location}`;
  return [
    { says: `The newest ${run} run${place}, ${momentWords(failure.startedAtMs)}${status}: ${error ?? "no message"}`, of: ofRun(failure) },
    { says: `The first ${run} run began ${momentWords(sinceMs)}`, of: ofRun(failure) },
    ...seen.failedAssertions.slice(0, 5).map((says) => ({ says: `Failed assertion: ${says}`, of: ofRun(failure) })),
    ...(last === undefined
      ? []
      : [
          {
            says: `The last good run, ${momentWords(last.startedAtMs)}, took ${Math.round(last.responseTimeMs)} ms${last.seen.statusCode === null ? "" : ` and got status ${last.seen.statusCode}`}`,
            of: ofRun(last),
          },
        ]),
  ];
}

function ofPlaces({ check, places, standing }: CauseFacts): readonly Evidence[] {
  return places.slice(0, 10).map((place) => placeEvidence(standing, check.id, "This check", place));
}

function ofOthers({ check, others, standing }: CauseFacts): readonly Evidence[] {
  const failing = others.filter(({ places }) => places.some(({ isFailing }) => isFailing));
  return failing.slice(0, 10).flatMap(({ checkId, name, host, places }) => {
    const [place] = places.filter(({ isFailing }) => isFailing);
    const which = host === null ? `The check ${name}` : `The check ${name} of ${host === check.host ? "the same host" : host}`;
    return place === undefined ? [] : [placeEvidence(standing, checkId, which, place)];
  });
}

function placeEvidence(standing: Standing, checkId: string, who: string, { location, failed, passed, resultId }: PlaceFact): Evidence {
  const did = standing === "failing" ? "failed" : "were degraded or failed";
  return { says: `${who} at ${location} in that time: ${failed} runs ${did}, ${passed} passed`, of: { kind: "result", checkId, resultId } };
}
