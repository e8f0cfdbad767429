import { sleep } from "#daemon/sleep.ts";
import { SystemCallError } from "../net/system-calls.ts";
import { packetFilter, type WantedPackets } from "./packet-filter.ts";
import { PacketRing, retireMs } from "./packet-ring.ts";
import { pcapFile } from "./pcap.ts";

const handBackEveryMs = 1_000;
const limitBytes = 128 * 1_024 - 64;

/** The packets of the last seconds, where this process may have them. */
export class Capture {
  #ring: PacketRing | null = null;
  #timer: NodeJS.Timeout | undefined;
  #trouble = "not started";

  /** Why nothing is captured, with what to do about it; null when packets are kept. */
  get trouble(): string | null {
    return this.#ring === null ? this.#trouble : null;
  }

  /** Without the right to capture this does nothing but remember why. */
  start(): void {
    if (this.#ring !== null) return;
    try {
      const ring = new PacketRing();
      this.#ring = ring;
      this.#timer = setInterval(() => ring.handBack(), handBackEveryMs).unref();
    } catch (error) {
      this.#trouble = troubleOf(error);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#ring?.close();
    this.#ring = null;
    this.#trouble = "stopped";
  }

  /** A pcap file of at most 128 KB with the packets since then (epoch ms); null when there are none. */
  async take(wanted: WantedPackets, sinceMs: number, signal: AbortSignal): Promise<Buffer | null> {
    const ring = this.#ring;
    if (ring === null) return null;
    await sleep(retireMs + 20, signal); // the last packets are in a block that is still the kernel's
    if (signal.aborted) return null;
    const packets = await ring.read(sinceMs, limitBytes, packetFilter(wanted));
    return packets.length === 0 ? null : pcapFile(packets);
  }
}

function troubleOf(error: unknown): string {
  if (error instanceof SystemCallError && (error.code === "EPERM" || error.code === "EACCES")) {
    return "the agent lacks the capability NET_RAW (containers give it to root only; docs/operations/images.md shows how)";
  }
  return error instanceof Error ? error.message : "unknown";
}
