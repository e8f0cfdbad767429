import { type EchoSocket, openEchoSocket } from "../icmp/echo-socket.ts";
import { icmpAdvice } from "../icmp/icmp-ability.ts";
import { kernelStamps } from "../icmp/kernel-stamps.ts";
import { ProbeError } from "../probe-error.ts";
import type { Flow, FlowTarget, OnAnswer } from "./flow.ts";
import { meaningOf } from "./hop-answer.ts";

/**
 * Echo requests of one flow.
 * @throws {ProbeError} ECAPABILITY (side agent) where this host allows no ICMP socket; others as `openEchoSocket`
 */
export async function openEchoFlow({ address, marks: [identifier = 1] }: FlowTarget): Promise<Flow> {
  const socket = openEchoSocket(address, { identifier });
  if (socket === null) throw new ProbeError("ECAPABILITY", `the agent may not send ICMP echo requests: ${icmpAdvice}`, { side: "agent" });
  await kernelStamps(() => openEchoSocket("127.0.0.1"));
  return new EchoFlow(socket);
}

/** Sequence numbers are those of the probes, from 1; errors quote them, however short. */
class EchoFlow implements Flow {
  readonly window = 4;
  readonly #socket: EchoSocket;
  readonly #sentMs = new Map<number, number>();

  constructor(socket: EchoSocket) {
    this.#socket = socket;
  }

  send(probe: number, hops: number): string | null {
    this.#socket.setHopLimit(hops);
    const first = this.#socket.send(probe + 1);
    // The error of an earlier probe fails the first call; it stays in the queue to be read.
    const sent = typeof first === "string" ? this.#socket.send(probe + 1) : first;
    if (typeof sent === "string") return sent;
    this.#sentMs.set(probe, sent);
    return null;
  }

  look(onAnswer: OnAnswer): void {
    const { address } = this.#socket;
    const onSighting = ({ sequence, type, code, atMs, from, isReply }: Parameters<Parameters<EchoSocket["look"]>[0]>[0]): void => {
      const probe = sequence - 1;
      const sentMs = this.#sentMs.get(probe);
      if (sentMs === undefined) return;
      const rttMs = Math.max(0, atMs - sentMs);
      onAnswer(
        probe,
        isReply ? { from: address, rttMs, is: "target", says: "answers" } : meaningOf("icmp", address, { type, code, from }, rttMs),
      );
    };
    this.#socket.lookForErrors(onSighting);
    this.#socket.look(onSighting);
  }

  /** Later answers are still welcome. */
  giveUp(): void {}

  close(): void {
    this.#socket.close();
  }
}
