import { sleep } from "#daemon/sleep.ts";
import { MessageReader } from "../icmp/received-message.ts";
import { SystemCallError } from "../system-calls.ts";
import type { TraceMethod } from "./hop-answer.ts";
import { readySockets, TraceSocket } from "./trace-socket.ts";
import type { WalkLimits } from "./walk-path.ts";

/** Flows beside the one that was walked. Of two equal ways four of them miss one in one run of sixteen. */
const flowsPerHop = 4;
/** Hops that are asked at the same time, which bounds the sockets. */
const hopsAtATime = 8;

export interface OtherWaysAsked {
  readonly method: TraceMethod;
  readonly address: string;
  readonly port: number;
  /** All of them before the target, so that it gets none of this. */
  readonly hops: readonly number[];
  /** How long answers are waited for, ms. */
  readonly waitMs: number;
}

/**
 * Which other routers there are at these hops: probes of other flows, each with a port of its own, which equal ways share out
 * (Augustin et al., IMC 2006). With them a path that only took another of its equal ways is not told as changed.
 *
 * @returns addresses by hop; none where nothing came, or the system has no sockets for it
 * @throws the signal's reason
 */
export async function otherWays(asked: OtherWaysAsked, limits: WalkLimits): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const found = new Map<number, Set<string>>(asked.hops.map((hop) => [hop, new Set()]));
  for (let at = 0; at < asked.hops.length && limits.monotonicMs() < limits.endsAtMs; at += hopsAtATime) {
    try {
      await askHops(asked, asked.hops.slice(at, at + hopsAtATime), limits, found);
    } catch (error) {
      if (error instanceof SystemCallError) break; // extra: the path itself is known
      throw error;
    }
  }
  return found;
}

async function askHops(
  { method, address, port, waitMs }: OtherWaysAsked,
  hops: readonly number[],
  { endsAtMs, monotonicMs, signal }: WalkLimits,
  found: ReadonlyMap<number, Set<string>>,
): Promise<void> {
  const messages = new MessageReader();
  let waiting: TraceSocket[] = [];
  try {
    for (const hop of hops.flatMap((one) => Array<number>(flowsPerHop).fill(one))) {
      const socket = new TraceSocket(method, address, hop, messages);
      waiting.push(socket);
      if (socket.send(port) !== null) waiting = without(waiting, socket);
    }
    const lastMs = Math.min(endsAtMs, monotonicMs() + waitMs);
    while (waiting.length > 0 && monotonicMs() < lastMs) {
      await sleep(2, signal);
      signal.throwIfAborted();
      for (const socket of readySockets(waiting)) {
        const answer = socket.read();
        if (answer === null) continue;
        if (answer.is === "router" && answer.from !== null) found.get(socket.ttl)?.add(answer.from);
        waiting = without(waiting, socket);
      }
    }
  } finally {
    for (const socket of waiting) socket.close();
  }
}

function without(sockets: readonly TraceSocket[], gone: TraceSocket): TraceSocket[] {
  gone.close();
  return sockets.filter((socket) => socket !== gone);
}
