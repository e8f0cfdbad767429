import { writeSync } from "node:fs";
import { echoTypes, internetChecksum, ipv4HeaderBytes, readEcho } from "../../../../src/agent/net/icmp/echo-packet.ts";
import { MessageReader, timespecMs } from "../../../../src/agent/net/icmp/received-message.ts";
import { socketAddress } from "../../../../src/agent/net/icmp/socket-address.ts";
import { libc } from "../../../../src/agent/net/libc.ts";

/**
 * Answers echo requests to 127.0.0.1 in the kernel's place (which `icmp_echo_ignore_all` silences), until it is killed.
 * `forge`: by the request's sequence number, see `forgeries`. `hold`: rightly, but some milliseconds late, and tells how late.
 */
const mode = process.argv[2] ?? "forge";
const holdMs = Number(process.argv[3] ?? 0);

const calls = libc();
const clock = Buffer.alloc(16);
const reader = new MessageReader();
const fd = rawSocket();
const alien = rawSocket();
calls.bind(alien, socketAddress("127.0.0.2", 0), 16);
writeSync(1, "ready\n");
let earlier: Buffer | undefined;
for (;;) serve();

function serve(): void {
  const descriptors = Buffer.alloc(8);
  descriptors.writeInt32LE(fd, 0);
  descriptors.writeInt16LE(1, 4);
  calls.poll(descriptors, 1n, 1_000);
  for (let length = reader.read(fd); length >= 0; length = reader.read(fd)) {
    const offset = ipv4HeaderBytes(reader.bytes, length) ?? length;
    const echo = readEcho(reader.bytes, offset, length);
    if (echo?.type !== echoTypes[4].request) continue;
    const message = Buffer.from(reader.bytes.subarray(offset, length));
    if (mode === "hold") hold(message, reader.control().atMs ?? 0);
    else forge(message, echo.sequence);
  }
}

function hold(message: Buffer, receivedAtMs: number): void {
  while (nowMs() < receivedAtMs + holdMs);
  const heldMs = nowMs() - receivedAtMs;
  reply(fd, message);
  writeSync(1, `${JSON.stringify({ sequence: message.readUInt16BE(6), heldMs })}\n`);
}

/** By sequence number: what is answered. Only the fourth has an answer that counts, twice. */
function forge(message: Buffer, sequence: number): void {
  const other = Buffer.from(message);
  if (sequence === 1) {
    other.fill(0x55, 8); // not the data that was sent
    reply(fd, other);
    earlier = message;
  } else if (sequence === 2) {
    other.writeUInt16BE(40, 6); // a number that was never sent
    reply(fd, other);
  } else if (sequence === 3)
    reply(alien, message); // not from the target
  else if (sequence === 4) {
    reply(fd, message);
    reply(fd, message);
  } else if (sequence === 5)
    reply(fd, message.subarray(0, 32)); // cut
  else if (sequence === 6) {
    other.writeUInt16BE(other.readUInt16BE(4) ^ 1, 4); // another identifier
    reply(fd, other);
  } else if (earlier !== undefined) {
    earlier.copy(other, 8, 8);
    other.fill(0, 8, 16);
    reply(fd, other); // data of another run, by all but eight bytes ours
  }
}

function reply(from: number, message: Buffer): void {
  message[0] = echoTypes[4].reply;
  message.writeUInt16BE(0, 2);
  message.writeUInt16BE(internetChecksum(message), 2);
  calls.sendto(from, message, BigInt(message.length), 0, socketAddress("127.0.0.1", 0), 16);
}

function rawSocket(): number {
  const opened = calls.socket(2, 3 | 0o4000, 1);
  const on = Buffer.from([1, 0, 0, 0]);
  calls.setsockopt(opened, 1, 35, on, 4); // the kernel's receive time
  return opened;
}

function nowMs(): number {
  calls.clock_gettime(0, clock);
  return timespecMs(clock);
}
