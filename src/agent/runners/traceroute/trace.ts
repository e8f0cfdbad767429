import { networkInterfaces } from "node:os";
import { addressText, socketAddress } from "../../net/icmp/socket-address.ts";
import { ProbeError } from "../../net/probe-error.ts";
import { SystemCallError } from "../../net/system-calls.ts";
import { openEchoFlow } from "../../net/trace/echo-flow.ts";
import type { Flow, FlowTarget } from "../../net/trace/flow.ts";
import { flowMarks } from "../../net/trace/flow-marks.ts";
import type { TraceMethod } from "../../net/trace/hop-answer.ts";
import { otherWays } from "../../net/trace/other-ways.ts";
import { stampsBegun } from "../../net/trace/stamps.ts";
import { TcpFlow } from "../../net/trace/tcp-flow.ts";
import { UdpFlow } from "../../net/trace/udp-flow.ts";
import { type Walked, type WalkLimits, walkPath } from "../../net/trace/walk-path.ts";

export interface TraceTarget {
  readonly method: TraceMethod;
  /** As the kernel writes it; see `canonicalAddress`. */
  readonly address: string;
  readonly port: number | null;
  readonly maxHops: number;
  readonly maxUnknownHops: number;
}

/** What was seen of a path. */
export interface Trace extends Walked {
  /** Routers that other flows met, by hop. */
  readonly others: ReadonlyMap<number, ReadonlySet<string>>;
}

const probesPerHop = 3;
/** Linux tells of six closed ports at once and then of one a second (`net.ipv4.icmp_ratelimit`): more datagrams would look lost. */
const finalProbes: Readonly<Record<TraceMethod, number>> = { tcp: 5, udp: probesPerHop, icmp: 10 };

/**
 * Walks the path by one flow, and looks for equal ways beside it.
 *
 * @throws {ProbeError} ECAPABILITY, EMFILE … (side agent) where this host gives no sockets for it
 * @throws the signal's reason
 */
export async function trace(target: TraceTarget, limits: WalkLimits): Promise<Trace> {
  const { method, address, port, maxHops, maxUnknownHops } = target;
  try {
    await stampsBegun();
    const flow = await openFlow(method, { address, port, marks: flowMarks(`${method} ${address} ${port ?? ""}`) });
    try {
      const plan = { maxHops, maxUnknownHops, probesPerHop, finalProbes: finalProbes[method] };
      const walked = await walkPath(flow, plan, limits);
      return { ...walked, others: await othersBeside(target, walked, limits) };
    } finally {
      flow.close();
    }
  } catch (error) {
    if (!(error instanceof SystemCallError)) throw error;
    throw new ProbeError(error.code, `the path to ${address} cannot be traced: this host answers ${error.message}`, {
      side: "agent",
      cause: error,
    });
  }
}

function openFlow(method: TraceMethod, target: FlowTarget): Promise<Flow> | Flow {
  if (method === "icmp") return openEchoFlow(target);
  return method === "tcp" ? new TcpFlow(target) : new UdpFlow(target);
}

/** Only routers are asked: the hops before the target that answered. */
function othersBeside({ method, address, port }: TraceTarget, { probes }: Walked, limits: WalkLimits): Promise<Trace["others"]> {
  const end = probes.end?.hop ?? Number.POSITIVE_INFINITY;
  const hops = new Set(probes.probes.flatMap(({ hop, answer }) => (answer?.is === "router" && hop < end ? [hop] : [])));
  const waitMs = Math.min(500, Math.max(100, 2 * probes.longestMs + 20));
  return otherWays({ method, address, port: port ?? 0, hops: [...hops].toSorted((a, b) => a - b), waitMs }, limits);
}

/** As the kernel writes it, to be compared with who answers. */
export function canonicalAddress(address: string): string {
  return address.includes("%") ? address : (addressText(socketAddress(address, 0)) ?? address);
}

/** Addresses of this host: an error of its own is no word of the network. */
export function ownAddresses(): ReadonlySet<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? []));
}
