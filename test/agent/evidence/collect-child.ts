import { createConnection } from "node:net";
import { createEvidenceCollector } from "../../../src/agent/evidence/collect-evidence.ts";
import { createEgressPolicy } from "../../../src/agent/net/egress-policy.ts";
import { createTrust } from "../../../src/agent/net/tls.ts";
import type { Trail } from "../../../src/agent/runners/check-runner.ts";

/** What the child is told: the trail, and what an attempt sends before the evidence is collected. */
export interface Task {
  readonly trail: Trail;
  readonly sends?: string;
}

/** What it answers, as JSON. */
export interface Outcome {
  readonly texts: Readonly<Record<string, string>>;
  /** base64; null without a capture. */
  readonly pcap: string | null;
  readonly capability: string;
  readonly tookMs: number;
  readonly uid: number;
}

/** One attempt on a plain connection: connects, sends, waits for an answer or an end. */
async function attempt({ trail, sends }: Task): Promise<void> {
  if (sends === undefined || trail.address === null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = createConnection({ host: trail.address, port: trail.port }, () => socket.write(sends));
  for (const event of ["data", "error", "close"]) socket.once(event, () => resolve());
  const timer = setTimeout(resolve, 500);
  await promise;
  clearTimeout(timer);
  socket.destroy();
}

const task = JSON.parse(process.argv[2] ?? "") as Task;
const trust = createTrust([]);
const policy = createEgressPolicy({ allowCidrs: [], denyCidrs: [], mode: "default", ownPorts: [] });
const collector = createEvidenceCollector({
  enabled: true,
  egress: () => policy,
  trust: () => trust,
  dnsTranscript: () => Promise.resolve("no name server was asked"),
  clock: { monotonicMs: () => performance.now(), wallMs: () => Date.now() },
  onSkipped: () => undefined,
});
collector.start();
const startedMs = performance.now();
await attempt(task);
const collectedMs = performance.now();
const files = await collector.collect(
  { jobId: "job", trail: task.trail, mask: (text) => text, maskBytes: (bytes) => bytes, startedMs },
  new AbortController().signal,
);
const outcome: Outcome = {
  texts: Object.fromEntries(
    files.filter(({ type }) => type === "log").map(({ name, data }) => [name, Buffer.from(data, "base64").toString()]),
  ),
  pcap: files.find(({ type }) => type === "pcap")?.data ?? null,
  capability: collector.capability,
  tookMs: performance.now() - collectedMs,
  uid: process.getuid?.() ?? -1,
};
collector.stop();
process.stdout.write(JSON.stringify(outcome));
