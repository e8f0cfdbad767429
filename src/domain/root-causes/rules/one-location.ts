import type { Cause, Evidence } from "../cause.ts";
import { type CauseFacts, listWords, type OtherCheckFact, type PlaceFact, standingWords } from "../cause-facts.ts";

/** Checks fail at this location and pass elsewhere: the location or its way out is the cause, not their targets. */
export function oneLocation(facts: CauseFacts): readonly Cause[] {
  const { check, failure, places, others } = facts;
  const { location } = failure;
  const passingElsewhere = places.filter((place) => place.location !== location && !place.isFailing);
  const isOnlyHere = passingElsewhere.length > 0 && !places.some((place) => place.location !== location && place.isFailing);
  const here = others.flatMap((other) => placed(other, location));
  const failing = here.filter(({ place }) => place.isFailing);
  const onlyHere = failing.filter(({ other }) => isOnlyAt(other, location));
  const isCommon = failing.length >= 2 && failing.length * 2 >= here.length && onlyHere.length * 2 >= failing.length;
  // Of one host alone the host is as likely, and a rule of its own.
  const isOfSeveral = new Set(failing.map(({ other }) => other.host)).size > 1;
  if (isCommon && (isOnlyHere || (places.length === 1 && isOfSeveral))) return [commonLocation(facts, failing, here.length)];
  if (!isOnlyHere) return [];
  return [
    {
      kind: "location",
      text: `It ${standingWords[facts.standing].one} only at ${location} and passes at ${listWords(passingElsewhere.map((place) => place.location))}. The target works; look at the network between ${location} and it, or at a rule that treats ${location} differently.`,
      confidence: "medium",
      evidence: passingElsewhere.slice(0, 4).map((place) => ofPlace(check.id, `passes at ${place.location}`, place)),
    },
  ];
}

interface Placed {
  readonly other: OtherCheckFact;
  readonly place: PlaceFact;
}

function placed(other: OtherCheckFact, location: string): readonly Placed[] {
  return other.places.filter((place) => place.location === location).map((place) => ({ other, place }));
}

/** It passes elsewhere, or runs nowhere else. */
function isOnlyAt({ places }: OtherCheckFact, location: string): boolean {
  return !places.some((place) => place.location !== location && place.isFailing);
}

function commonLocation({ check, failure: { location }, places, standing }: CauseFacts, failing: readonly Placed[], all: number): Cause {
  const { one, many } = standingWords[standing];
  const hosts = new Set(failing.map(({ other }) => other.host));
  const own = places.filter((place) => place.location !== location && !place.isFailing);
  return {
    kind: "location",
    text: `${failing.length} of ${all} other checks ${many} at ${location} as well, ${hosts.size > 1 ? `against ${hosts.size} hosts` : "against one host"}. Look at ${location} first: its agents, its network and its proxy.`,
    confidence: failing.length >= 3 && hosts.size > 1 ? "high" : "medium",
    evidence: [
      ...failing.slice(0, 4).map(({ other, place }) => ofPlace(other.checkId, `${other.name} ${one} at ${location}`, place)),
      ...own.slice(0, 2).map((place) => ofPlace(check.id, `this check passes at ${place.location}`, place)),
    ],
  };
}

function ofPlace(checkId: string, says: string, { resultId }: PlaceFact): Evidence {
  return { says, of: { kind: "result", checkId, resultId } };
}
