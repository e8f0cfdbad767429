import { networkInterfaces } from "node:os";
import { sleep } from "#daemon/sleep.ts";
import { MessageReader } from "../net/icmp/received-message.ts";
import { addressText, socketAddress } from "../net/icmp/socket-address.ts";
import { linuxCalls, SystemCallError } from "../net/system-calls.ts";
import type { HopAnswer, TraceMethod } from "../net/trace/hop-answer.ts";
import { firstUdpPort, readySockets, TraceSocket } from "../net/trace/trace-socket.ts";
import { type Hops, hopLimit, type Trace, traceText } from "./trace-text.ts";

export interface TracerouteTarget {
  readonly host: string;
  readonly address: string;
  readonly port: number;
}

/** When the last probe is given up, ms after the first was sent. */
const limitMs = 1_400;
/** How long TCP alone may find the end of the path before the others join it. */
const aloneMs = 500;
/** Hops are asked for in groups, so that a near target does not get thirty connections. */
const groupSize = 10;
const groupGapMs = 150;
/** What a router on the way may be late when the end is known. */
const graceMs = 150;

/**
 * The path to a target without any privilege: SYN segments to its port, and where these end in silence datagrams and
 * echo requests, too. Takes 1.5 s at most. The caller has asked the egress policy for the address.
 *
 * @returns text with the conclusion as its last line
 * @throws {Error} where the system is another than Linux
 */
export async function traceroute(asked: TracerouteTarget, signal: AbortSignal): Promise<string> {
  linuxCalls();
  const target = { ...asked, address: canonical(asked.address) };
  const alone = new AbortController();
  const tcp = trace("tcp", target, limitMs, signal).finally(() => alone.abort());
  await sleep(aloneMs, alone.signal);
  const restMs = limitMs - aloneMs;
  const others = alone.signal.aborted ? [] : [trace("udp", target, restMs, signal), trace("icmp", target, restMs, signal)];
  const [first, ...more] = await Promise.all([tcp, ...others]);
  const shown = endIn(first.hops) === null && first.trouble === null ? more : [];
  return traceText({ ...target, ownAddresses: ownAddresses() }, [first, ...shown]);
}

/** Probes the path by one method; what the system does not allow becomes the trace's trouble. */
async function trace(method: TraceMethod, target: TracerouteTarget, forMs: number, signal: AbortSignal): Promise<Trace> {
  const path = new Path(method, target);
  try {
    return { method, hops: await path.walk(forMs, signal), trouble: null };
  } catch (error) {
    if (!(error instanceof SystemCallError)) throw error;
    return { method, hops: [], trouble: troubleOf(method, error) };
  } finally {
    path.close();
  }
}

class Path {
  readonly #method: TraceMethod;
  readonly #target: TracerouteTarget;
  readonly #answers: (HopAnswer | null)[] = [];
  readonly #messages = new MessageReader();
  #waiting: TraceSocket[] = [];

  constructor(method: TraceMethod, target: TracerouteTarget) {
    this.#method = method;
    this.#target = target;
  }

  async walk(forMs: number, signal: AbortSignal): Promise<Hops> {
    const startMs = performance.now();
    let sentMs = Number.NEGATIVE_INFINITY;
    let endMs = startMs + forMs;
    while (!signal.aborted) {
      const nowMs = performance.now();
      const end = endIn(this.#answers);
      if (nowMs >= endMs || this.#isComplete()) break;
      if (end !== null) endMs = Math.min(endMs, nowMs + graceMs + (end.rttMs ?? 0));
      else if (nowMs - sentMs >= groupGapMs && this.#answers.length < hopLimit) {
        this.#sendGroup();
        sentMs = nowMs;
      }
      this.#read();
      // Finely while near hops answer, then in steps that no round trip of theirs notices.
      if (!this.#isComplete()) await sleep(Math.min(5, 1 + (performance.now() - sentMs) / 20), signal);
    }
    return upToEnd(this.#answers);
  }

  close(): void {
    for (const socket of this.#waiting.splice(0)) socket.close();
  }

  #sendGroup(): void {
    const last = Math.min(hopLimit, this.#answers.length + groupSize);
    for (let ttl = this.#answers.length + 1; ttl <= last; ttl += 1) {
      const socket = new TraceSocket(this.#method, this.#target.address, ttl, this.#messages);
      const answer = socket.send(this.#method === "udp" ? firstUdpPort + ttl : this.#target.port);
      this.#answers.push(answer);
      if (answer === null) this.#waiting.push(socket);
      else socket.close();
      if (answer !== null && answer.is !== "router") return;
    }
  }

  #read(): void {
    for (const socket of readySockets(this.#waiting)) {
      const answer = socket.read();
      if (answer === null) continue;
      this.#answers[socket.ttl - 1] = answer;
      this.#waiting = this.#waiting.filter((other) => other !== socket);
      socket.close();
    }
  }

  /** The end is known, and so is every hop before it. */
  #isComplete(): boolean {
    const known = upToEnd(this.#answers);
    return endIn(known) !== null && known.every((hop) => hop !== null);
  }
}

function isEnd(hop: HopAnswer | null): hop is HopAnswer {
  return hop !== null && hop.is !== "router";
}

function endIn(hops: Hops): HopAnswer | null {
  return hops.find(isEnd) ?? null;
}

function upToEnd(hops: Hops): Hops {
  const end = hops.findIndex(isEnd);
  return end < 0 ? hops : hops.slice(0, end + 1);
}

/** As the kernel writes it, to be compared with who answers. */
function canonical(address: string): string {
  return address.includes("%") ? address : (addressText(socketAddress(address, 0)) ?? address);
}

function troubleOf(method: TraceMethod, { code, message }: SystemCallError): string {
  if (method !== "icmp" || (code !== "EACCES" && code !== "EPERM")) return `not possible here: ${message}`;
  return "not allowed here: set net.ipv4.ping_group_range to include the agent's group to have this part as well";
}

function ownAddresses(): ReadonlySet<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? []));
}
