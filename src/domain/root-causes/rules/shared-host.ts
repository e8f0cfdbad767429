import type { Cause } from "../cause.ts";
import { type CauseFacts, listWords, type OtherCheckFact, standingWords } from "../cause-facts.ts";

/** Other checks of the same host fail at the same time: the host is the cause, not what this check looks at. */
export function sharedHost({ check, others, standing }: CauseFacts): readonly Cause[] {
  const { host } = check;
  const words = standingWords[standing];
  if (host === null) return [];
  const sameHost = others.filter((other) => other.host === host);
  const failing = sameHost.filter(isFailing);
  if (failing.length === 0 || failing.length * 2 < sameHost.length) return [];
  const isEvery = failing.length === sameHost.length;
  const names = listWords(failing.map(({ name }) => name));
  const who = isEvery
    ? (every[failing.length] ?? `All ${failing.length} other checks`)
    : `${failing.length} of ${sameHost.length} other checks`;
  const whom = `${who} of ${host} ${failing.length === 1 && isEvery ? words.other : words.many}, too`;
  return [
    {
      kind: "host",
      text: `${whom} (${names}). Look at the host, or at what all of them share, before this check.`,
      confidence: isEvery && failing.length > 1 ? "high" : "medium",
      evidence: failing.slice(0, 5).flatMap(({ checkId, name, places }) => {
        const [place] = places.filter((one) => one.isFailing);
        if (place === undefined) return [];
        return [
          { says: `${name} ${words.other} at ${place.location}`, of: { kind: "result", checkId, resultId: place.resultId } as const },
        ];
      }),
    },
  ];
}

const every: Readonly<Record<number, string>> = { 1: "The other check", 2: "Both other checks" };

function isFailing({ places }: OtherCheckFact): boolean {
  return places.some((place) => place.isFailing);
}
