import { readdirSync } from "node:fs";
import { TracerouteCheckResult, TracerouteCheckSettings } from "#contract/checks/traceroute.ts";
import { createEgressPolicy } from "../../../../src/agent/net/egress-policy.ts";
import type { Observation } from "../../../../src/agent/runners/check-runner.ts";
import { createTracerouteRunner } from "../../../../src/agent/runners/traceroute/traceroute-runner.ts";
import { fixedResolver, runContext } from "../../../support/run-context.ts";

/** What the child does: each request, one after the other. */
export interface ChildTask {
  readonly requests: readonly object[];
  /** Names by address: what PTR records would say. */
  readonly names?: Readonly<Record<string, string>>;
  readonly denyCidrs?: readonly string[];
}

export type Seen = Pick<Observation<"TRACEROUTE">, "failure" | "result" | "metrics" | "responseTimeMs" | "startedMs" | "stoppedMs">;

export interface ChildReport {
  readonly seen: readonly Seen[];
  /** Descriptors open beyond those before the second and later requests. */
  readonly leakedDescriptors: number;
  readonly uid: number;
}

const task = JSON.parse(process.argv[2] ?? "{}") as ChildTask;
const egress = createEgressPolicy({ allowCidrs: [], denyCidrs: [...(task.denyCidrs ?? [])], mode: "default", ownPorts: [] });
const known = fixedResolver({});
const context = runContext({
  egress,
  resolver: { ...known, namesOf: (address) => Promise.resolve([task.names?.[address] ?? []].flat()) },
});
const seen: Seen[] = [];
let before: number | null = null;
for (const request of task.requests) {
  const settings = TracerouteCheckSettings.parse({ request, degradedResponseTime: null, maxResponseTime: null });
  const { failure, result, metrics, responseTimeMs, startedMs, stoppedMs } = await createTracerouteRunner().run(settings, context);
  TracerouteCheckResult.parse(result);
  seen.push({ failure, result, metrics, responseTimeMs, startedMs, stoppedMs });
  before ??= descriptors(); // the first one may open what stays open: the socket that keeps the kernel stamping
}
const report: ChildReport = { seen, leakedDescriptors: descriptors() - (before ?? 0), uid: process.getuid?.() ?? -1 };
process.stdout.write(JSON.stringify(report));

function descriptors(): number {
  return readdirSync("/proc/self/fd").length;
}
