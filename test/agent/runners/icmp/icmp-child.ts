import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { IcmpCheckResult, IcmpCheckSettings } from "#contract/checks/icmp.ts";
import { AppError } from "#domain/app-error.ts";
import { type IcmpAbility, icmpAbility } from "../../../../src/agent/net/icmp/icmp-ability.ts";
import type { Observation } from "../../../../src/agent/runners/check-runner.ts";
import { createIcmpRunner } from "../../../../src/agent/runners/icmp/icmp-runner.ts";
import { fixedResolver, runContext } from "../../../support/run-context.ts";

/** What the child does: each check `times` times, all at once. */
export interface ChildTask {
  readonly checks: readonly {
    readonly hostname: string;
    readonly ipFamily?: "IPv4" | "IPv6";
    readonly pingCount: number;
    readonly times?: number;
  }[];
  /** Names that resolve, to addresses of both families; the others are addresses themselves. */
  readonly names?: Readonly<Record<string, { readonly 4: readonly string[]; readonly 6: readonly string[] }>>;
  /** Blocks the event loop for this long, 10 ms after it was free again. */
  readonly busyMs?: number;
  readonly abortAfterMs?: number;
  /** Without a run before that counts for nothing but opens what stays open; then descriptors cannot be counted. */
  readonly isCold?: boolean;
}

export interface ChildReport {
  readonly ability: IcmpAbility;
  readonly observations: readonly Pick<
    Observation<"ICMP">,
    "failure" | "result" | "metrics" | "responseTimeMs" | "startedMs" | "stoppedMs"
  >[];
  /** Of runs that were aborted. */
  readonly reasons: readonly string[];
  /** Descriptors that are open beyond those before the checks, apart from the one that keeps the kernel stamping. */
  readonly leakedDescriptors: number;
  readonly leakedTimers: number;
  readonly children: number;
  /** How late timers of 10 ms were, on average: the error of a time that is taken when the loop comes to it. */
  readonly timerErrorMs: number;
  readonly cpuMicros: number;
}

const task = JSON.parse(process.argv[2] ?? "{}") as ChildTask;
process.stdout.write(JSON.stringify(await report()));

async function report(): Promise<ChildReport> {
  const ability = icmpAbility();
  if (!task.isCold) await run({ hostname: "127.0.0.1", pingCount: 1 }, new AbortController().signal);
  const before = open();
  const controller = new AbortController();
  const isDone = { now: false };
  const lateness = busyLoop(isDone);
  if (task.abortAfterMs !== undefined)
    setTimeout(() => controller.abort(new AppError("deadline_exceeded", "the check took too long")), task.abortAfterMs);
  const cpu = process.cpuUsage();
  const all = task.checks.flatMap((check) => Array.from({ length: check.times ?? 1 }, () => run(check, controller.signal)));
  const ended = await Promise.allSettled(all);
  const { user, system } = process.cpuUsage(cpu);
  isDone.now = true;
  const timerErrorMs = await lateness;
  const after = open();
  const observations = ended.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  for (const { result } of observations) IcmpCheckResult.parse(result);
  return {
    ability,
    observations: observations.map(({ failure, result, metrics, responseTimeMs, startedMs, stoppedMs }) => ({
      failure,
      result,
      metrics,
      responseTimeMs,
      startedMs,
      stoppedMs,
    })),
    reasons: ended.flatMap((outcome) => (outcome.status === "rejected" ? [String(outcome.reason)] : [])),
    leakedDescriptors: after.descriptors - before.descriptors,
    leakedTimers: after.timers - before.timers,
    children: after.children,
    timerErrorMs,
    cpuMicros: user + system,
  };
}

function run({ hostname, ipFamily = "IPv4", pingCount }: ChildTask["checks"][number], signal: AbortSignal): Promise<Observation<"ICMP">> {
  const request = { hostname, ipFamily, pingCount };
  const settings = IcmpCheckSettings.parse({ request, degradedPacketLossThreshold: null, maxPacketLossThreshold: null });
  const names = task.names?.[hostname];
  const resolver = fixedResolver({});
  const resolve: typeof resolver.resolve = async (host, family, aborted) => [
    ...(names?.[family] ?? (await resolver.resolve(host, family, aborted))),
  ];
  return createIcmpRunner().run(settings, runContext({ signal, resolver: { resolve } }));
}

function open(): { descriptors: number; timers: number; children: number } {
  const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout");
  // Zombies are among them.
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8")
    .split(" ")
    .filter((pid) => pid !== "");
  return { descriptors: readdirSync("/proc/self/fd").length, timers: timers.length, children: children.length };
}

async function busyLoop(isDone: { now: boolean }): Promise<number> {
  const errors: number[] = [];
  while (task.busyMs !== undefined && !isDone.now) {
    const timer = performance.now();
    const late = wait(10).then(() => errors.push(performance.now() - timer - 10));
    const endMs = performance.now() + task.busyMs;
    while (performance.now() < endMs);
    await late;
    await wait(10);
  }
  return errors.reduce((sum, error) => sum + error, 0) / Math.max(1, errors.length);
}
