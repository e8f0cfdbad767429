import { isIP } from "node:net";
import type { EvidenceFile } from "#contract/agent-protocol.ts";
import { withDeadline } from "#daemon/deadline.ts";
import { embeddedIPv4s } from "#daemon/embedded-ipv4.ts";
import type { AgentClock } from "../host/clock.ts";
import type { EgressPolicy } from "../net/egress-policy.ts";
import type { Trust } from "../net/tls.ts";
import type { Trail } from "../runners/check-runner.ts";
import { Capture } from "./capture.ts";
import type { EvidenceCollector } from "./evidence-collector.ts";
import type { Inquiry } from "./inquiry.ts";
import { InquiryLimits, type SkipReason } from "./inquiry-limits.ts";
import { tlsTranscript } from "./tls-transcript.ts";
import { traceroute } from "./traceroute.ts";

export interface EvidenceDeps {
  /** False: nothing is collected, and nothing captured. */
  readonly enabled: boolean;
  readonly egress: () => EgressPolicy;
  readonly trust: Trust;
  /** What name servers say, told for people. */
  readonly dnsTranscript: (host: string, family: 4 | 6, signal: AbortSignal) => Promise<string>;
  readonly clock: AgentClock;
  readonly onSkipped: (why: SkipReason) => void;
}

export interface RunningCollector extends EvidenceCollector {
  /** Begins to keep packets where that is allowed; takes some 20 ms. */
  start(): void;
  /** Ends inquiries under way and frees the memory of the capture. */
  stop(): void;
  /** What this agent can find out, for people. */
  readonly capability: string;
}

/** The capture is taken from the ring afterwards, which takes 220 ms and some reading: all of it ends within 2 s. */
const probesMs = 1_600;
const textBytes = 16 * 1_024;
/** With these codes the handshake was not reached. */
const beforeTls: ReadonlySet<string> = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH"]);

/** Traceroute, transcripts of DNS and TLS, and a capture, all at the same time, for failures that the network caused. */
export function createEvidenceCollector(deps: EvidenceDeps): RunningCollector {
  const limits = new InquiryLimits();
  const capture = new Capture();
  const running = new AbortController();

  async function collect(inquiry: Inquiry, parent: AbortSignal): Promise<EvidenceFile[]> {
    const signal = AbortSignal.any([parent, running.signal]);
    const texts = await withDeadline(signal, probesMs, "evidence", (limit) => gather(inquiry.trail, limit, deps));
    const pcap = await capture.take(wantedPackets(inquiry), sinceMs(inquiry, deps.clock), signal).catch(() => null);
    const [first, ...others] = texts;
    if (signal.aborted || first === undefined) return [];
    const noCapture = capture.trouble === null ? "" : `\npacket capture: none, because ${capture.trouble}\n`;
    const files = [{ ...first, text: first.text + noCapture }, ...others].map((part) => textFile(part, inquiry.mask));
    return pcap === null ? files : [...files, file("capture.pcap", "pcap", "application/vnd.tcpdump.pcap", inquiry.maskBytes(pcap))];
  }

  return {
    async collect(inquiry, signal) {
      if (!deps.enabled || signal.aborted || running.signal.aborted) return [];
      const { host, port, code } = inquiry.trail;
      const skipped = limits.enter(`${host} ${port} ${code}`, inquiry.jobId, deps.clock.monotonicMs());
      if (skipped !== null) {
        deps.onSkipped(skipped);
        return [];
      }
      try {
        return await collect(inquiry, signal);
      } catch {
        return []; // evidence is extra: the attempt's report must not suffer
      } finally {
        limits.leave();
      }
    },
    start() {
      if (deps.enabled) capture.start();
    },
    stop() {
      running.abort();
      capture.stop();
    },
    get capability() {
      if (!deps.enabled) return "off";
      return capture.trouble === null ? "traceroute, transcripts, capture" : "traceroute, transcripts; no capture";
    },
  };
}

interface Part {
  readonly name: string;
  readonly text: string;
}

/** The texts that this failure calls for. A part that fails says why in its place. */
function gather(trail: Trail, signal: AbortSignal, deps: EvidenceDeps): Promise<Part[]> {
  const { host, port, ipFamily, tls, code } = trail;
  const parts: Promise<Part>[] = [];
  const add = (name: string, work: () => Promise<string>): void => void parts.push(tell(name, work, signal));
  const address = trail.address === null ? null : plainAddress(trail.address);
  if (address !== null) {
    const target = { host, port, address };
    const asked = (work: () => Promise<string>): Promise<string> => {
      deps.egress().check(address, port, host);
      return work();
    };
    add("traceroute.txt", async () => asked(() => traceroute(target, signal)));
    if (tls && !beforeTls.has(code)) add("tls.txt", async () => asked(() => tlsTranscript(target, deps.trust, signal)));
  }
  if (isIP(host) === 0) add("dns.txt", () => deps.dnsTranscript(host, ipFamily === "IPv6" ? 6 : 4, signal));
  return Promise.all(parts);
}

async function tell(name: string, work: () => Promise<string>, signal: AbortSignal): Promise<Part> {
  const { promise: late, resolve } = Promise.withResolvers<string>();
  const onAbort = (): void => void setImmediate(resolve, "nothing was found in time\n"); // parts that heed the signal come first
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return { name, text: await Promise.race([work(), late]) };
  } catch (error) {
    return { name, text: `nothing was found: ${error instanceof Error ? error.message : "unknown"}\n` };
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** DNS messages only where no address was found; no payload where the name itself is a secret. */
function wantedPackets({ trail, mask }: Inquiry): Parameters<Capture["take"]>[0] {
  const { host, address, port } = trail;
  return {
    address: address === null ? null : plainAddress(address),
    port,
    dnsName: address === null ? host : null,
    headersOnly: mask(host) !== host,
  };
}

/** An IPv4 address in IPv6's clothes travels as IPv4. */
function plainAddress(address: string): string {
  const isMapped = /^::ffff:(?:[\d.]+|[\da-f]{1,4}:[\da-f]{1,4})$/i.test(address);
  return (isMapped ? embeddedIPv4s(address)[0] : undefined) ?? address;
}

/** The capture's clock is the system's; what was measured on the monotonic one is told as "that long ago". */
function sinceMs({ startedMs }: Inquiry, clock: AgentClock): number {
  return clock.wallMs() - (clock.monotonicMs() - startedMs) - 5;
}

/** Masked before it is cut, so that no half of a secret is left. */
function textFile({ name, text }: Part, mask: Inquiry["mask"]): EvidenceFile {
  return file(name, "log", "text/plain; charset=utf-8", Buffer.from(mask(text)).subarray(0, textBytes));
}

function file(name: string, type: EvidenceFile["type"], contentType: string, bytes: Uint8Array): EvidenceFile {
  return { name, type, contentType, data: Buffer.from(bytes).toString("base64") };
}
