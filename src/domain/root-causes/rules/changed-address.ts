import type { Cause } from "../cause.ts";
import { type CauseFacts, listWords, ofRun } from "../cause-facts.ts";

/** The host's name led to another address than in all good runs that are looked at. */
export function changedAddress({ check, failure, good }: CauseFacts): readonly Cause[] {
  const { address } = failure.seen;
  const before = [...new Set(good.flatMap(({ seen }) => seen.address ?? []))];
  const [last] = good;
  if (address === null || last === undefined || before.length === 0 || before.includes(address)) return [];
  if (check.host === address) return [];
  return [
    {
      kind: "address",
      text: `${check.host ?? "The name"} led to ${address}, where good runs reached ${listWords(before, 3)}. Check the DNS record, and whether ${address} is meant to serve this host.`,
      // Many addresses in good runs: a network that hands out others all the time.
      confidence: before.length > 1 ? "low" : good.length > 1 ? "medium" : "low",
      evidence: [
        { says: `went to ${address}`, of: ofRun(failure) },
        { says: `went to ${last.seen.address ?? before[0]}`, of: ofRun(last) },
      ],
    },
  ];
}
