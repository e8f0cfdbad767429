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
export function pathSummary(trace: Trace, maxHops: number): PathSummary {
  const { probes, others } = trace;
  const { end } = probes;
  const hops = Array.from({ length: lastHop(probes) }, (_, index) => hopOf(index + 1, probes, others));
  const truncationReason = reasonOf(trace, maxHops);
  const cut = truncationReason === undefined ? {} : { truncationReason };
  if (end?.answer.is === "target") {
    const { packetLoss, latency: finalHopLatency } = hopOf(end.hop, probes, others);
    const reached = { totalHops: end.hop, destinationReached: true, destinationState: end.answer.says, packetLoss, finalHopLatency };
    return { ...reached, ...cut, refusal: null, hops };
  }
  return {
    totalHops: hops.findLast(({ address }) => address !== null)?.hop ?? 0,
    destinationReached: false,
    destinationState: null,
    ...cut,
    refusal: end === null ? null : { hop: end.hop, address: end.answer.from, says: end.answer.says },
    packetLoss: 100,
    finalHopLatency: null,
    hops,
  };
}

/** Who refuses should have passed the packet on: he is the hop before, and stands there already if he told so. */
function lastHop({ end, lastAsked }: PathProbes): number {
  if (end === null) return lastAsked;
  return end.answer.is === "target" ? end.hop : end.hop - 1;
}

type Reason = NonNullable<TracerouteAnswer["truncationReason"]>;

function reasonOf({ probes, isCutShort, unsentBecause }: Trace, maxHops: number): Reason | undefined {
  const end = probes.end?.answer.is;
  if (end === "unreachable") return "unreachable";
  if (isCutShort) return "timeout";
  if (end === "target") return undefined;
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
