import { isIP } from "node:net";
import type { HopAnswer } from "../net/trace/hop-answer.ts";

/** The most routers that are asked for. */
export const hopLimit = 30;

/** Answers by time-to-live, from 1; null is silence. Nothing beyond the hop where the path ended. */
export type Hops = readonly (HopAnswer | null)[];

export interface Trace {
  readonly method: "tcp" | "udp" | "icmp";
  readonly hops: Hops;
  /** Why there are no hops; null when the path was probed. */
  readonly trouble: string | null;
}

export interface TraceSubject {
  readonly host: string;
  readonly address: string;
  readonly port: number;
  /** Addresses of this host: an error of its own is no word of the network. */
  readonly ownAddresses: ReadonlySet<string>;
}

/** One text as traceroute(8) writes it, a part per method, and the conclusion of all as its last line. The first trace is TCP's. */
export function traceText(subject: TraceSubject, traces: readonly [Trace, ...Trace[]]): string {
  const parts = traces.map((trace) => [heading(subject, trace), ...hopLines(trace)].join("\n"));
  return `${parts.join("\n\n")}\n\n${conclusion(subject, traces)}\n`;
}

/** What the traces say, in one sentence. */
export function conclusion(subject: TraceSubject, [tcp, ...others]: readonly [Trace, ...Trace[]]): string {
  if (tcp.trouble !== null) return `no path was seen: ${tcp.trouble}`;
  const end = tcp.hops.at(-1) ?? null;
  if (end?.is === "target") {
    const state = end.says === "open" ? "open now" : "closed";
    return `reached ${subject.address} in ${hopCount(tcp.hops)}: port ${subject.port} is ${state}`;
  }
  if (end?.is === "unsent") return `this host did not send: ${end.says}`;
  if (end?.is === "unreachable") return refusal(subject, end, tcp.hops);
  return [silence(tcp.hops), ...reaching(subject, others), ...others.flatMap((other) => further(tcp, other))].join("; ");
}

const names = { tcp: "TCP", udp: "UDP", icmp: "ICMP" } as const;

function heading({ host, address, port }: TraceSubject, { method }: Trace): string {
  const target = isIP(host) === 0 ? `${host} (${address})` : address;
  const how = { tcp: `TCP SYN to port ${port}`, udp: "UDP to unlikely ports", icmp: "ICMP echo" }[method];
  return `traceroute to ${target}, ${how}, ${hopLimit} hops at most`;
}

function hopLines({ hops, trouble }: Trace): string[] {
  if (trouble !== null) return [trouble];
  const heard = lastHeard(hops) + 1;
  const lines = hops.slice(0, heard).map((hop, index) => `${`${index + 1}`.padStart(2)}  ${hopText(hop)}`);
  if (heard < hops.length) lines.push(` ${heard + 1}-${hops.length}  *`);
  return lines;
}

function hopText(hop: HopAnswer | null): string {
  if (hop === null) return "*";
  if (hop.from === null) return `not sent: ${hop.says}`;
  return [hop.from, hop.rttMs === null ? "" : `${hop.rttMs.toFixed(3)} ms`, hop.says].filter((text) => text !== "").join("  ");
}

function refusal({ address, ownAddresses }: TraceSubject, { from, says }: HopAnswer, hops: Hops): string {
  if (from === null) return `somebody on the way says: ${says}`;
  if (from === address) return `reached ${address} in ${hopCount(hops)}, which says: ${says}`;
  if (ownAddresses.has(from)) return `this host itself says: ${says}; nobody answers for the next hop, or there is no route`;
  // A router says no to what it should pass on, so that the probe that dies there has a lower number.
  const hop = hops.findIndex((other) => other?.from === from) + 1;
  const isFirstToAnswer = hop === hops.length && hop > 1 && hops[hop - 2] === null;
  return `${isFirstToAnswer ? `a router on the way (${from})` : `hop ${hop} (${from})`} says: ${says}`;
}

function silence(hops: Hops): string {
  const last = lastHeard(hops);
  return last < 0 ? "silence from the first hop on" : `silence after hop ${last + 1} (${hops[last]?.from})`;
}

function reaching({ address, port }: TraceSubject, others: readonly Trace[]): string[] {
  const [first, second] = others.filter(({ hops }) => hops.at(-1)?.is === "target");
  if (first === undefined) return [];
  const who = second === undefined ? `${names[first.method]} reaches` : `${names[first.method]} and ${names[second.method]} reach`;
  return [`${who} ${address} in ${hopCount(first.hops)}, so TCP to port ${port} is filtered`];
}

/** What a method that did not reach the target adds to TCP's silence. */
function further(tcp: Trace, { method, hops }: Trace): string[] {
  const end = hops.at(-1);
  if (end?.is === "target") return [];
  if (end?.is === "unreachable") return [`${names[method]} is told by ${end.from ?? "somebody on the way"}: ${end.says}`];
  const last = lastHeard(hops);
  return last > lastHeard(tcp.hops) ? [`${names[method]} gets as far as hop ${last + 1} (${hops[last]?.from})`] : [];
}

function lastHeard(hops: Hops): number {
  return hops.findLastIndex((hop) => hop !== null);
}

function hopCount(hops: Hops): string {
  return hops.length === 1 ? "1 hop" : `${hops.length} hops`;
}
