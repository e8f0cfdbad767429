import type { Libc } from "../net/libc.ts";
import { linuxCalls, SystemCallError } from "../net/system-calls.ts";
import { captureFilter } from "./capture-filter.ts";
import type { CapturedPacket } from "./pcap.ts";

const blockBytes = 1 << 14;
const blockCount = 512;
/** Blocks that the kernel always finds free after `handBack`: more than come in a second under full load. */
const freeBlocks = blockCount / 2;
/** After this a block that is not full is ours all the same. */
export const retireMs = 200;
/** Blocks read without a break: a millisecond or less. */
const blocksPerTurn = 8;

const afPacket = 17;
/** No child may have it: it hears every packet, also for a child without the right to open one. */
const datagramCloseOnExec = 2 | 0o2000000;
const everyProtocol = 3;
const solPacket = 263;
/** Offsets in struct tpacket_block_desc and struct tpacket3_hdr (packet_mmap in the kernel's documentation). */
const block = { status: 8, packets: 12, first: 16, lastSeconds: 40 } as const;
const packet = { next: 0, seconds: 4, nanoseconds: 8, kept: 12, length: 16, at: 26 } as const;

/**
 * The last packets of this network namespace, in 8 MB that the kernel fills (TPACKET_V3). Nobody is woken: we look at
 * it when evidence is asked for, and once a second hand old blocks back. Needs CAP_NET_RAW.
 */
export class PacketRing {
  readonly #libc: Libc = linuxCalls();
  readonly #fd: number;
  readonly #address: bigint;
  /** Null when the ring is closed: memory that is unmapped must not be touched. */
  #memory: Buffer | null;
  #oldest = 0;
  #held = 0;
  #readers = 0;

  /** @throws {SystemCallError} EPERM without CAP_NET_RAW */
  constructor() {
    // Without a protocol it hears nothing until the filter is on.
    this.#fd = this.#libc.socket(afPacket, datagramCloseOnExec, 0);
    if (this.#fd < 0) throw new SystemCallError("socket", this.#libc.errno());
    try {
      this.#prepare();
      const bytes = BigInt(blockBytes * blockCount);
      this.#address = this.#libc.mmap(0n, bytes, 3, 1, this.#fd, 0n);
      if (BigInt.asIntN(64, this.#address) === -1n) throw new SystemCallError("mmap", this.#libc.errno());
      this.#memory = this.#libc.memoryAt(this.#address, blockBytes * blockCount);
    } catch (error) {
      this.#libc.close(this.#fd);
      throw error;
    }
  }

  /** Gives the oldest blocks back to the kernel, so that it never lacks room for what comes next. */
  handBack(): void {
    const memory = this.#takeOver();
    if (memory === null || this.#readers > 0) return;
    for (; this.#held > blockCount - freeBlocks; this.#held -= 1) {
      memory.writeUInt32LE(0, this.#oldest * blockBytes + block.status);
      this.#oldest = (this.#oldest + 1) % blockCount;
    }
  }

  /**
   * Copies packets since then, oldest first, as far as they fit.
   *
   * @param sinceMs epoch ms on the system's clock
   * @param wanted how many bytes of a packet to keep; 0 leaves it out
   */
  async read(sinceMs: number, limitBytes: number, wanted: (bytes: Buffer) => number): Promise<CapturedPacket[]> {
    const packets: CapturedPacket[] = [];
    this.#readers += 1;
    try {
      let room = limitBytes;
      this.#takeOver();
      const count = this.#held;
      for (let index = 0; index < count && room > 0; index += 1) {
        if (index % blocksPerTurn === blocksPerTurn - 1) await new Promise((resolve) => setImmediate(resolve));
        const memory = this.#memory;
        if (memory === null) break;
        const start = ((this.#oldest + index) % blockCount) * blockBytes;
        if (memory.readUInt32LE(start + block.lastSeconds) * 1_000 + 1_000 < sinceMs) continue;
        for (const found of packetsOf(memory, start, sinceMs, wanted)) {
          room -= found.bytes.length + 16;
          if (room >= 0) packets.push(found);
        }
      }
      return packets;
    } finally {
      this.#readers -= 1;
    }
  }

  close(): void {
    if (this.#memory === null) return;
    this.#memory = null;
    this.#libc.munmap(this.#address, BigInt(blockBytes * blockCount));
    this.#libc.close(this.#fd);
  }

  #prepare(): void {
    this.#set(solPacket, 10, int32s(2)); // PACKET_VERSION: TPACKET_V3
    const program = captureFilter();
    const filter = Buffer.alloc(16);
    filter.writeUInt16LE(program.length / 8, 0);
    filter.writeBigUInt64LE(this.#libc.addressOf(program), 8);
    this.#set(1, 26, filter); // SO_ATTACH_FILTER
    this.#set(solPacket, 5, int32s(blockBytes, blockCount, 2_048, (blockBytes / 2_048) * blockCount, retireMs, 0, 0)); // PACKET_RX_RING
    const everything = Buffer.alloc(20); // struct sockaddr_ll, of every interface
    everything.writeUInt16LE(afPacket, 0);
    everything.writeUInt16BE(everyProtocol, 2);
    if (this.#libc.bind(this.#fd, everything, everything.length) !== 0) throw new SystemCallError("bind", this.#libc.errno());
  }

  #set(level: number, name: number, value: Buffer): void {
    if (this.#libc.setsockopt(this.#fd, level, name, value, value.length) !== 0)
      throw new SystemCallError("setsockopt", this.#libc.errno());
  }

  /** Counts the blocks that the kernel has finished. */
  #takeOver(): Buffer | null {
    const memory = this.#memory;
    while (memory !== null && this.#held < blockCount) {
      const next = (this.#oldest + this.#held) % blockCount;
      if ((memory.readUInt32LE(next * blockBytes + block.status) & 1) === 0) break;
      this.#held += 1;
    }
    return memory;
  }
}

function* packetsOf(memory: Buffer, start: number, sinceMs: number, wanted: (bytes: Buffer) => number): Generator<CapturedPacket> {
  const count = memory.readUInt32LE(start + block.packets);
  let offset = start + memory.readUInt32LE(start + block.first);
  for (let index = 0; index < count; index += 1) {
    const seconds = memory.readUInt32LE(offset + packet.seconds);
    const nanoseconds = memory.readUInt32LE(offset + packet.nanoseconds);
    const at = offset + memory.readUInt16LE(offset + packet.at);
    if (seconds * 1_000 + nanoseconds / 1e6 >= sinceMs) {
      const seen = memory.subarray(at, at + memory.readUInt32LE(offset + packet.kept));
      const keep = wanted(seen);
      const length = memory.readUInt32LE(offset + packet.length);
      if (keep > 0) yield { seconds, nanoseconds, length, bytes: Buffer.from(seen.subarray(0, keep)) };
    }
    offset += memory.readUInt32LE(offset + packet.next);
  }
}

function int32s(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeInt32LE(value, 4 * index);
  return bytes;
}
