import type { EchoSocket, Sighting } from "./echo-socket.ts";
import { unsentError } from "./icmp-error.ts";

/** How long a reply to any one request is waited for (ms); what comes later counts as lost, whichever request it was. */
export const replyLimitMs = 2_000;

/** What became of one echo request. */
export interface Echo {
  /** From 1. */
  readonly sequence: number;
  readonly wasSent: boolean;
  /** Null without a reply in time. */
  readonly rttMs: number | null;
  readonly ttl: number | null;
  /** Of the reply or, without one, of the ICMP error that came instead. */
  readonly type: number | null;
  readonly code: number | null;
  /** Who sent that error. */
  readonly from: string | null;
}

export interface EchoRun {
  readonly echoes: readonly Echo[];
  /** Why the last request that this host did not send was not sent (`EPERM`, `ENOBUFS` …). */
  readonly unsentBecause: string | null;
}

export interface EchoPlan {
  readonly count: number;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonicMs: () => number;
}

/** Refusals of one packet, which may pass with the next: a full queue, or a firewall rule that takes only some. */
const passing: ReadonlySet<string> = new Set(["EPERM", "ENOBUFS", "EAGAIN"]);

/**
 * Sends the requests and gathers what comes back. Closes the socket. The kernel stamps what arrives, so nothing waits for
 * it: the socket is read before each next request and, after the last, at times that grow with the wait. A late event loop
 * lengthens no round trip, and reading ourselves gets the time to live and ICMP errors, which node:dgram throws away.
 *
 * @throws {ProbeError} ENETUNREACH, EADDRNOTAVAIL … when not even the first request could leave this host
 * @throws the signal's reason
 */
export async function runEchoes(socket: EchoSocket, plan: EchoPlan): Promise<EchoRun> {
  const { promise, resolve, reject } = Promise.withResolvers<EchoRun>();
  const { signal } = plan;
  const run = new RunningEchoes(socket, plan);
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => reject(signal.reason);
  const turn = (): void => {
    try {
      const delayMs = run.turn();
      if (delayMs === null) resolve(run.outcome());
      else timer = setTimeout(turn, delayMs);
    } catch (error) {
      reject(error);
    }
  };
  try {
    signal.throwIfAborted();
    signal.addEventListener("abort", onAbort);
    turn();
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    socket.close();
  }
}

/** A request under way. */
interface Request {
  /** On the clock of the kernel's stamps, and on the monotonic one; null when it was not sent. */
  readonly sentAtMs: number | null;
  readonly sentMs: number;
  answer: Sighting | null;
  rttMs: number | null;
}

class RunningEchoes {
  readonly #socket: EchoSocket;
  readonly #plan: EchoPlan;
  readonly #requests: Request[] = [];
  #unsentBecause: string | null = null;
  #longestMs = 0;

  constructor(socket: EchoSocket, plan: EchoPlan) {
    this.#socket = socket;
    this.#plan = plan;
  }

  /** Reads what came, sends what is due. @returns in how many ms to come again, or null at the end */
  turn(): number | null {
    if (this.#requests.length > 0) this.#socket.look(this.#onSighting);
    let nowMs = this.#plan.monotonicMs();
    const last = this.#requests.at(-1);
    if (last === undefined || (this.#isSending() && last.sentMs + this.#plan.intervalMs <= nowMs)) {
      this.#send();
      nowMs = this.#plan.monotonicMs();
    }
    const lastSentMs = this.#requests.at(-1)?.sentMs ?? nowMs;
    if (this.#isSending()) return Math.max(1, lastSentMs + this.#plan.intervalMs - nowMs);
    if (!this.#requests.some((request) => this.#isAwaited(request, nowMs))) return null;
    return lookDelayMs(nowMs - lastSentMs, this.#longestMs);
  }

  outcome(): EchoRun {
    const echoes = this.#requests.map(({ sentAtMs, answer, rttMs }, index) => ({
      sequence: index + 1,
      wasSent: sentAtMs !== null,
      rttMs,
      ttl: answer?.ttl ?? null,
      type: answer?.type ?? null,
      code: answer?.code ?? null,
      from: answer?.from ?? null,
    }));
    return { echoes, unsentBecause: this.#unsentBecause };
  }

  #isSending(): boolean {
    return this.#requests.length < this.#plan.count;
  }

  #isAwaited({ sentAtMs, sentMs, answer }: Request, nowMs: number): boolean {
    return sentAtMs !== null && answer === null && nowMs - sentMs < replyLimitMs;
  }

  #send(): void {
    const sequence = this.#requests.length + 1;
    let sent = this.#socket.send(sequence);
    if (typeof sent === "string" && !passing.has(sent)) {
      // An ICMP error about an earlier request fails the next call on the socket; reading it clears the way.
      this.#socket.lookForErrors(this.#onSighting);
      sent = this.#socket.send(sequence);
    }
    if (typeof sent === "string") {
      if (sequence === 1 && !passing.has(sent)) throw unsentError(this.#socket.address, sent);
      this.#unsentBecause = sent;
    }
    const sentAtMs = typeof sent === "number" ? sent : null;
    this.#requests.push({ sentAtMs, sentMs: this.#plan.monotonicMs(), answer: null, rttMs: null });
  }

  /** Takes the first reply; an error only as long as there is no reply. Duplicates and late replies change nothing. */
  readonly #onSighting = (sighting: Sighting): void => {
    const request = this.#requests[sighting.sequence - 1];
    if (request === undefined || request.sentAtMs === null || request.rttMs !== null) return;
    if (sighting.isReply) {
      const rttMs = this.#roundTripMs(request.sentAtMs, request.sentMs, sighting.atMs);
      if (rttMs > replyLimitMs) return;
      request.rttMs = rttMs;
      this.#longestMs = Math.max(this.#longestMs, rttMs);
    }
    request.answer = sighting;
  };

  /** By the wall clock that the kernel stamps with; where that was set meanwhile, what has passed until now bounds it. */
  #roundTripMs(sentAtMs: number, sentMs: number, seenAtMs: number): number {
    const passedMs = this.#plan.monotonicMs() - sentMs;
    const rttMs = seenAtMs - sentAtMs;
    return rttMs < 0 || rttMs > passedMs + 1 ? passedMs : rttMs;
  }
}

/** When to look again `waitedMs` after the last request: about when a reply as slow as the slowest would be here, then ever more seldom. */
export function lookDelayMs(waitedMs: number, longestMs: number): number {
  if (waitedMs < longestMs) return Math.max(1, longestMs - waitedMs + 0.5);
  return Math.min(Math.max(1, waitedMs / 2), 50, Math.max(1, replyLimitMs - waitedMs));
}
