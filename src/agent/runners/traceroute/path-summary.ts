import type { TracerouteAnswer, TracerouteHop } from "#contract/checks/traceroute.ts";
import type { PathProbes } from "../../net/trace/path-probes.ts";
import { latencyOf, lossOf } from "../latency.ts";
import type { Trace } from "./trace.ts";

/** Routers that are told of one hop, and of its equal ways. */
const maxAddresses = 32;

export type PathSummary = Pick<
  TracerouteAnswer,
  "totalHops" | "destinationReached" | "destinationState" | "truncationReason" | "refusal" | "packetLoss" | "finalHopLatency" | "hops"
>;

/** What the probes came to: hops up to the target, or up to the last that answered and the silence behind it. */
export function pathSummary({ probes, isCutShort, unsentBecause, others }: Trace, maxHops: number): PathSummary {
  const { end } = probes;
  const isReached = end?.answer.is === "target";
  // Who refuses should have passed the packet on: he is the hop before, and stands there already if he told so.
  const last = isReached
    ? end.hop
    : end === null
      ? probes.lastAsked
      : Math.max(probes.lastHeard < end.hop ? probes.lastHeard : end.hop - 1, 0);
  const hops = Array.from({ length: last }, (_, index) => hopOf(index + 1, probes, others));
  const final = isReached ? hops.at(-1) : undefined;
  const truncationReason = isReached && !isCutShort ? undefined : reasonOf(probes, { isCutShort, unsentBecause, maxHops });
  return {
    totalHops: isReached ? end.hop : (hops.findLast(({ address }) => address !== null)?.hop ?? 0),
    destinationReached: isReached,
    destinationState: isReached ? end.answer.says : null,
    ...(truncationReason === undefined ? {} : { truncationReason }),
    refusal: end === null || isReached ? null : { hop: end.hop, address: end.answer.from, says: end.answer.says },
    packetLoss: final?.packetLoss ?? 100,
    finalHopLatency: final?.latency ?? null,
    hops,
  };
}

type Reason = NonNullable<TracerouteAnswer["truncationReason"]>;

function reasonOf(
  probes: PathProbes,
  { isCutShort, unsentBecause, maxHops }: Pick<Trace, "isCutShort" | "unsentBecause"> & { readonly maxHops: number },
): Reason {
  if (probes.end !== null && probes.end.answer.is !== "target") return "unreachable";
  if (isCutShort) return "timeout";
  if (probes.lastAsked >= maxHops) return "max_hops";
  return unsentBecause !== null && !probes.isOver ? "unsent" : "max_unknown_hops";
}

function hopOf(hop: number, { probes, end }: PathProbes, others: Trace["others"]): TracerouteHop {
  // Under way when the time was up is neither lost nor received.
  const sent = probes.filter((probe) => probe.hop === hop && !probe.isVoid && probe.isOver);
  const isFinal = end?.hop === hop && end.answer.is === "target";
  const answers = sent.flatMap(({ answer }) => (answer !== null && (answer.is === "router" || isFinal) ? [answer] : []));
  const rtts = answers.flatMap(({ rttMs }) => (rttMs === null ? [] : [rttMs]));
  const addresses = [...new Set(answers.flatMap(({ from }) => from ?? []))];
  return {
    hop,
    address: mostOften(answers.flatMap(({ from }) => from ?? [])),
    hostname: null,
    addresses: addresses.slice(0, maxAddresses),
    alternatives: [...(others.get(hop) ?? [])].filter((address) => !addresses.includes(address)).slice(0, maxAddresses),
    packetsSent: sent.length,
    packetsReceived: answers.length,
    packetLoss: lossOf(sent.length, answers.length),
    latency: latencyOf(rtts),
  };
}

/** The first of those that came most often; null of none. */
function mostOften(addresses: readonly string[]): string | null {
  const count = (address: string): number => addresses.filter((other) => other === address).length;
  return addresses.reduce<string | null>((best, address) => (best === null || count(address) > count(best) ? address : best), null);
}
