import type { TracerouteCheckResult } from "#contract/checks/traceroute.ts";

/** What of a traced path is the same from run to run: who answers at each hop, whatever the times. */
export interface TracedPath {
  readonly protocol: string;
  readonly target: string;
  readonly isReached: boolean;
  /** By hop, from 1: everybody who answered there, equal ways included; none for a silent hop. */
  readonly hops: readonly (readonly string[])[];
}

export type PathComparison =
  | { readonly is: "same" }
  /** What changed, in a sentence of addresses and numbers only. */
  | { readonly is: "changed"; readonly words: string }
  /** Two paths that say nothing about each other: to another address, by another protocol, or one that nobody answered on. */
  | { readonly is: "incomparable" };

/** The path of a result; null where there was none. */
export function tracedPath({ response }: Pick<TracerouteCheckResult, "response">): TracedPath | null {
  if (response === null) return null;
  const { protocol, resolvedIp, destinationReached, hops } = response;
  return {
    protocol,
    target: resolvedIp,
    isReached: destinationReached,
    hops: hops.map(({ addresses, alternatives }) => [...addresses, ...alternatives]),
  };
}

/**
 * Whether a path is another than before. Two hops are the same when somebody answered at both, so that equal ways (ECMP) in which
 * a flow moved are no change; nor is a hop that is silent in one of them, or a target that is not reached any more: its
 * result says that already. A name that resolves to several addresses has a path for each.
 */
export function comparePaths(before: TracedPath, now: TracedPath): PathComparison {
  if (before.protocol !== now.protocol || before.target !== now.target) return { is: "incomparable" };
  if (!isHeard(before) || !isHeard(now)) return { is: "incomparable" };
  return before.isReached && now.isReached ? compareWhole(before, now) : compareBeginnings(before, now);
}

type Hops = TracedPath["hops"];

function isHeard({ hops }: TracedPath): boolean {
  return hops.some((hop) => hop.length > 0);
}

/** Both end at the target: their lengths count. */
function compareWhole(before: TracedPath, now: TracedPath): PathComparison {
  if (before.hops.length === now.hops.length) return compareBeginnings(before, now);
  const shorter = Math.min(before.hops.length, now.hops.length) - 1; // the last hop of both is the target
  const first = lengthWhile(shorter, (at) => isSame(before.hops[at], now.hops[at]));
  const last = 1 + lengthWhile(shorter - first, (at) => isSame(before.hops.at(-2 - at), now.hops.at(-2 - at)));
  const gone = before.hops.slice(first, before.hops.length - last);
  const come = now.hops.slice(first, now.hops.length - last);
  const lengths = `${hopCount(now.hops.length)} instead of ${before.hops.length}`;
  const where = first === 0 ? "from the agent on" : `behind hop ${first}${nameOf(now.hops[first - 1])}`;
  return { is: "changed", words: `${lengths}: ${where} it goes ${wayOf(come)}, before ${wayOf(gone)}` };
}

/** Hop by hop, as far as both were seen. */
function compareBeginnings({ hops: before }: TracedPath, { hops: now }: TracedPath): PathComparison {
  const changes = now.flatMap((hop, at) =>
    isSame(before[at], hop) ? [] : [`hop ${at + 1} is ${listOf(hop)} instead of ${listOf(before[at])}`],
  );
  return changes.length === 0 ? { is: "same" } : { is: "changed", words: shortened(changes) };
}

/** Silence may be anybody. */
function isSame(one: readonly string[] = [], other: readonly string[] = []): boolean {
  return one.length === 0 || other.length === 0 || one.some((address) => other.includes(address));
}

function lengthWhile(limit: number, holds: (at: number) => boolean): number {
  let length = 0;
  while (length < limit && holds(length)) length += 1;
  return length;
}

const toldChanges = 5;

function shortened(changes: readonly string[]): string {
  const more = changes.length - toldChanges;
  return changes.slice(0, toldChanges).join("; ") + (more > 0 ? `; and ${more} more` : "");
}

function wayOf(hops: Hops): string {
  if (hops.length === 0) return "straight on";
  const more = hops.length - toldChanges;
  const told = hops
    .slice(0, toldChanges)
    .map((hop) => listOf(hop))
    .join(", then ");
  return `through ${told}${more > 0 ? ` and ${more} more` : ""}`;
}

/** At most three of those who share a hop. */
function listOf(hop: readonly string[] = []): string {
  if (hop.length === 0) return "a silent hop";
  return hop.length > 3 ? `${hop.slice(0, 3).join(" or ")} or ${hop.length - 3} others` : hop.join(" or ");
}

function nameOf(hop: readonly string[] = []): string {
  return hop.length === 0 ? "" : ` (${listOf(hop)})`;
}

function hopCount(count: number): string {
  return count === 1 ? "1 hop" : `${count} hops`;
}
