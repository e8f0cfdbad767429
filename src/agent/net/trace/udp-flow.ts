import { randomBytes } from "node:crypto";
import { MessageReader, type QueuedError } from "../icmp/received-message.ts";
import { isSameAddress, socketAddress } from "../icmp/socket-address.ts";
import { hasIPv6Form } from "../ip-address.ts";
import { errorName, type Libc } from "../libc.ts";
import { linuxCalls, SystemCallError } from "../system-calls.ts";
import type { Flow, FlowTarget, OnAnswer } from "./flow.ts";
import { meaningOf } from "./hop-answer.ts";
import { clockMs, int32 } from "./socket-values.ts";

/** SOCK_DGRAM, SOCK_NONBLOCK, SOCK_CLOEXEC. */
const kind = 2 | 0o4000 | 0o2000000;
/** Level, and by it the options for the time to live, the error queue and no flow label (ip(7), ipv6(7), RFC 6437). */
const options = { 4: { level: 0, hops: 2, errors: 11, autoLabel: null }, 6: { level: 41, hops: 16, errors: 25, autoLabel: 70 } } as const;
const solSocket = 1;
const timestamps = 35;
const nonceBytes = 6;
const payloadBytes = 32;
/** Messages that one look reads at most, so that a flood cannot hold the loop. */
const messagesPerLook = 500;

/**
 * Datagrams of one flow over one socket. Each has its number in its data, which routers send back with their errors (RFC 1812
 * §4.3.2.3, RFC 4443 §3.3); those that send back the header alone tell only that some probe died there.
 */
export class UdpFlow implements Flow {
  /** Few, as Linux tells of six closed ports at once and then of one a second: these beyond a near target count as well. */
  readonly window = 3;
  readonly #address: string;
  readonly #family: 4 | 6;
  readonly #peer: Buffer;
  readonly #fd: number;
  readonly #libc: Libc = linuxCalls();
  readonly #messages = new MessageReader();
  readonly #payload = Buffer.alloc(payloadBytes);
  readonly #sentMs = new Map<number, number>();

  /** @throws {SystemCallError} when there is no such socket for us, or no way to the target at all */
  constructor({ address, port, marks }: FlowTarget) {
    this.#address = address;
    this.#family = hasIPv6Form(address) ? 6 : 4;
    this.#peer = socketAddress(address, port ?? 0);
    randomBytes(nonceBytes).copy(this.#payload);
    this.#fd = this.#libc.socket(this.#family === 4 ? 2 : 10, kind, 17);
    if (this.#fd < 0) throw new SystemCallError("socket", this.#libc.errno());
    const { level, errors, autoLabel } = options[this.#family];
    this.#set(level, errors, 1);
    this.#set(solSocket, timestamps, 1);
    if (autoLabel !== null) this.#set(level, autoLabel, 0);
    try {
      this.#bind(marks);
      // Connected, it hears nobody but the target, and of errors only those about its own datagrams.
      if (this.#libc.connect(this.#fd, this.#peer, this.#peer.length) < 0) throw new SystemCallError("connect", this.#libc.errno());
    } catch (error) {
      this.close();
      throw error;
    }
  }

  send(probe: number, hops: number): string | null {
    const { level, hops: option } = options[this.#family];
    this.#set(level, option, hops);
    this.#payload.writeUInt16BE(probe, nonceBytes);
    this.#sentMs.set(probe, clockMs(this.#libc));
    // The error of an earlier probe fails the first call; it stays in the queue to be read.
    const error = this.#sendNow() && this.#sendNow();
    if (error !== null) this.#sentMs.delete(probe);
    return error;
  }

  look(onAnswer: OnAnswer): void {
    for (let count = 0; count < messagesPerLook; count += 1) {
      const length = this.#messages.readError(this.#fd);
      if (length < 0) break;
      const { error, atMs } = this.#messages.control();
      if (error !== null) this.#tellError(error, this.#probeIn(length), atMs, onAnswer);
    }
    for (let count = 0; count < messagesPerLook; count += 1) {
      const length = this.#messages.read(this.#fd);
      if (length < 0) break;
      if (!isSameAddress(this.#messages.sender, this.#peer)) continue;
      const probe = this.#probeIn(length);
      const rttMs = this.#since(probe, this.#messages.control().atMs);
      onAnswer(probe, { from: this.#address, rttMs, is: "target", says: "answers" });
    }
  }

  /** Later answers are still welcome. */
  giveUp(): void {}

  close(): void {
    this.#libc.close(this.#fd);
  }

  #tellError(error: QueuedError, probe: number | null, atMs: number | null, onAnswer: OnAnswer): void {
    onAnswer(probe, { ...meaningOf("udp", this.#address, error, 0), rttMs: this.#since(probe, atMs) });
  }

  /** Null where it is not known which probe it was. */
  #since(probe: number | null, atMs: number | null): number | null {
    const sentMs = this.#sentMs.get(probe ?? -1);
    return sentMs === undefined ? null : Math.max(0, (atMs ?? clockMs(this.#libc)) - sentMs);
  }

  /** The number of a probe of ours whose data was read: sent back by a router, or by a target that echoes. */
  #probeIn(length: number): number | null {
    const { bytes } = this.#messages;
    if (length < nonceBytes + 2 || bytes.compare(this.#payload, 0, nonceBytes, 0, nonceBytes) !== 0) return null;
    const probe = bytes.readUInt16BE(nonceBytes);
    return this.#sentMs.has(probe) ? probe : null;
  }

  #sendNow(): string | null {
    const sent = this.#libc.sendto(this.#fd, this.#payload, BigInt(payloadBytes), 0, this.#peer, this.#peer.length);
    return sent < 0 ? errorName(this.#libc.errno()) : null;
  }

  #bind(marks: readonly number[]): void {
    const any = this.#family === 4 ? "0.0.0.0" : "::";
    for (const mark of marks) {
      const own = socketAddress(any, mark);
      if (this.#libc.bind(this.#fd, own, own.length) === 0) return;
    }
    throw new SystemCallError("bind", this.#libc.errno());
  }

  #set(level: number, name: number, value: number): void {
    this.#libc.setsockopt(this.#fd, level, name, int32(value), 4);
  }
}
