import { MessageReader } from "../icmp/received-message.ts";
import { SystemCallError } from "../system-calls.ts";
import type { Flow, FlowTarget, OnAnswer } from "./flow.ts";
import type { HopAnswer } from "./hop-answer.ts";
import { readySockets, TraceSocket } from "./trace-socket.ts";

/** Codes by which a source port is not to be had. */
const taken: ReadonlySet<string> = new Set(["EADDRINUSE", "EADDRNOTAVAIL"]);

/**
 * SYN segments of one flow: one socket after the other on the same port, as the kernel allows a conversation once at a time. It
 * takes only ICMP errors that quote the sequence number of the socket's own segment, so none is taken for that of another probe.
 * What the target opens is reset at once.
 */
export class TcpFlow implements Flow {
  readonly window = 1;
  readonly #target: FlowTarget;
  readonly #messages = new MessageReader();
  #marks: readonly number[];
  #probe: { readonly number: number; readonly socket: TraceSocket } | null = null;

  /** A target on this host refuses before the call returns. */
  #early: { readonly number: number; readonly answer: HopAnswer } | null = null;

  constructor(target: FlowTarget) {
    this.#target = target;
    this.#marks = target.marks;
  }

  /** @throws {SystemCallError} when there is no such socket for us */
  send(number: number, hops: number): string | null {
    this.close();
    const socket = this.#open(hops);
    const answer = socket.send(this.#target.port ?? 0);
    if (answer === null) this.#probe = { number, socket };
    else socket.close();
    if (answer?.is === "unsent") return answer.says;
    if (answer !== null) this.#early = { number, answer };
    return null;
  }

  look(onAnswer: OnAnswer): void {
    const early = this.#early;
    this.#early = null;
    if (early !== null) return onAnswer(early.number, early.answer);
    const probe = this.#probe;
    if (probe === null || readySockets([probe.socket]).length === 0) return;
    const answer = probe.socket.read();
    if (answer === null) return;
    this.close();
    onAnswer(probe.number, answer);
  }

  giveUp(number: number): void {
    if (this.#probe?.number === number) this.close();
  }

  close(): void {
    this.#probe?.socket.close();
    this.#probe = null;
  }

  /** On the first of the ports that is free; that one stays. */
  #open(hops: number): TraceSocket {
    for (;;) {
      const [sourcePort = 0, ...others] = this.#marks;
      try {
        return new TraceSocket("tcp", this.#target.address, hops, this.#messages, { sourcePort });
      } catch (error) {
        if (!(error instanceof SystemCallError) || !taken.has(error.code) || others.length === 0) throw error;
        this.#marks = others;
      }
    }
  }
}
