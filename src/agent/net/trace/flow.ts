import type { HopAnswer } from "./hop-answer.ts";

/**
 * Takes what came for a probe. Its number is null where the message does not tell: old routers send back eight bytes of a packet
 * (RFC 792), which is all header.
 */
export type OnAnswer = (probe: number | null, answer: HopAnswer) => void;

/**
 * Probes that every router on the way must take for one conversation: same addresses, ports and, for echo requests, identifier
 * and checksum. Where there are several equal ways (ECMP) all of them take the same one, so that their hops are one path (Paris
 * traceroute: Augustin et al., IMC 2006). Nothing here waits.
 */
export interface Flow {
  /** How many probes may be under way at the same time. */
  readonly window: number;
  /** Sends a probe that `hops` routers may touch. @returns why it was not sent (`EPERM` …), or null */
  send(probe: number, hops: number): string | null;
  /** Tells what came since the last look. */
  look(onAnswer: OnAnswer): void;
  /** A probe that nobody waits for any more. */
  giveUp(probe: number): void;
  close(): void;
}

/** What a flow is made of. */
export interface FlowTarget {
  readonly address: string;
  /** Null for echo requests. */
  readonly port: number | null;
  /** Source ports or identifiers to take, the first that is free; never empty. */
  readonly marks: readonly number[];
}
