import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from "prom-client";
import { addBuildInfo } from "#daemon/build-info.ts";
import { createRegistry, type Exposition, exposition } from "#daemon/exposition.ts";
import { noTelemetry, type Telemetry } from "#daemon/telemetry/telemetry.ts";
import { tellMetrics } from "#daemon/telemetry/tell-metrics.ts";
import { type GapReason, gapReasons } from "#domain/schedule-gaps.ts";
import { type AlertMetrics, addAlertMetrics } from "../alerting/alert-metrics.ts";
import { type AuditMetrics, addAuditMetrics } from "../audit/audit-metrics.ts";
import type { AlertDeliveryStore, JobStore } from "../storage/storage.ts";
import { addLiveMetrics, type LiveMetrics } from "./live-metrics.ts";

export interface ControlPlaneMetrics extends AlertMetrics, AuditMetrics, LiveMetrics {
  readonly observeRequest: (operation: string, status: number, seconds: number) => void;
  readonly observeLag: (seconds: number) => void;
  readonly countGaps: (reason: GapReason, slots: number) => void;
  readonly countLeases: (count: number) => void;
  readonly countReports: (outcome: string, count: number) => void;
  readonly countReaped: (requeued: number, missed: number) => void;
  readonly countWatchdog: (outcome: WatchdogOutcome) => void;
  readonly countClockStep: (direction: "forward" | "back") => void;
  readonly countAgentErrors: (count: number) => void;
  readonly countArtifacts: (outcome: "stored" | "refused", bytes: number) => void;
  /** `tellsLocations`: figures of queues by the location's code; otherwise those of all together. `accept`: the header. */
  readonly text: (wanted: { readonly tellsLocations: boolean; readonly accept?: string }) => Promise<Exposition>;
}

/** What came of telling the watchdog; `withheld`: something does not work here. */
export type WatchdogOutcome = "told" | "failed" | "withheld";

interface MetricsDeps {
  readonly jobs: Pick<JobStore, "locationQueues">;
  readonly alertDeliveries: Pick<AlertDeliveryStore, "backlog">;
  readonly waitingPolls: () => number;
  readonly works: () => Readonly<Record<string, { readonly status: "ok" | "failing"; readonly tookMs?: number }>>;
  readonly nowMs: () => number;
  /** Absent where no collector is told. */
  readonly telemetry?: Telemetry;
}

/** The control plane's own metrics, in a registry of its own. Labels are few and bounded: never a check id, never a URL. */
export function createMetrics(deps: MetricsDeps): ControlPlaneMetrics {
  const registry = createRegistry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  addBuildInfo("outpost_build_info", registers);
  const requests = new Histogram({
    name: "outpost_http_request_duration_seconds",
    help: "Time to answer a request, by operation and status class",
    labelNames: ["operation", "status"],
    buckets: [0.002, 0.01, 0.05, 0.2, 1, 5, 30],
    registers,
  });
  const lag = new Histogram({
    name: "outpost_schedule_lag_seconds",
    help: "From a run's due time until its jobs were queued",
    buckets: [0.002, 0.005, 0.01, 0.05, 0.25, 1, 5, 30, 120],
    registers,
  });
  const leases = new Counter({ name: "outpost_leases_total", help: "Jobs given to agents", registers });
  const reports = new Counter({
    name: "outpost_attempts_reported_total",
    help: "Attempts reported by agents",
    labelNames: ["outcome"],
    registers,
  });
  const requeued = new Counter({ name: "outpost_jobs_requeued_total", help: "Jobs whose lease ended without a result", registers });
  const missed = new Counter({ name: "outpost_runs_missed_total", help: "Runs that no agent ran", registers });
  const agentErrors = new Counter({
    name: "outpost_agent_error_events_total",
    help: "Errors that agents reported about themselves",
    registers,
  });
  addPollGauge(registers, deps.waitingPolls);
  addWorkGauge(registers, deps.works);
  const [byLocation, together] = [queueGauges(deps, true), queueGauges(deps, false)];
  tellMetrics(deps.telemetry ?? noTelemetry, [registry, byLocation], "outpost_telemetry_items_total");

  return {
    ...addAlertMetrics(registers, deps),
    ...addAuditMetrics(registers),
    ...addLiveMetrics(registers),
    observeRequest: (operation, status, seconds) => requests.observe({ operation, status: `${Math.floor(status / 100)}xx` }, seconds),
    observeLag: (seconds) => lag.observe(seconds),
    ...addGapCounter(registers),
    countLeases: (count) => leases.inc(count),
    countReports: (outcome, count) => reports.inc({ outcome }, count),
    countReaped(requeuedCount, missedCount) {
      requeued.inc(requeuedCount);
      missed.inc(missedCount);
    },
    countAgentErrors: (count) => agentErrors.inc(count),
    ...addArtifactCounters(registers),
    ...addClockSteps(registers),
    ...addWatchdog(registers),
    text: ({ tellsLocations, accept = "" }) => exposition([registry, tellsLocations ? byLocation : together], accept),
  };
}

function addGapCounter(registers: Registry[]): Pick<ControlPlaneMetrics, "countGaps"> {
  const slots = new Counter({
    name: "outpost_gap_slots_total",
    help: "Slots of checks that passed without a run and are recorded as gaps, by reason",
    labelNames: ["reason"],
    registers,
  });
  for (const reason of gapReasons) slots.inc({ reason }, 0);
  return { countGaps: (reason, count) => slots.inc({ reason }, count) };
}

function addArtifactCounters(registers: Registry[]): Pick<ControlPlaneMetrics, "countArtifacts"> {
  const artifacts = new Counter({
    name: "outpost_artifacts_total",
    help: "Files of results that agents uploaded, by what became of them",
    labelNames: ["outcome"],
    registers,
  });
  const artifactBytes = new Counter({ name: "outpost_artifact_bytes_total", help: "Bytes of those that were stored", registers });
  return {
    countArtifacts(outcome, bytes) {
      artifacts.inc({ outcome });
      if (outcome === "stored") artifactBytes.inc(bytes);
    },
  };
}

function addWatchdog(registers: Registry[]): Pick<ControlPlaneMetrics, "countWatchdog"> {
  const told = new Counter({
    name: "outpost_watchdog_total",
    help: "Times that WATCHDOG_URL was told that this process is alive, could not be (failed), or was not, as not all works (withheld)",
    labelNames: ["outcome"],
    registers,
  });
  return { countWatchdog: (outcome) => told.inc({ outcome }) };
}

function addClockSteps(registers: Registry[]): Pick<ControlPlaneMetrics, "countClockStep"> {
  const steps = new Counter({
    name: "outpost_clock_steps_total",
    help: "Steps of this process's wall clock by more than 2 s: forward or back",
    labelNames: ["direction"],
    registers,
  });
  for (const direction of ["forward", "back"]) steps.inc({ direction }, 0);
  return { countClockStep: (direction) => steps.inc({ direction }) };
}

function addPollGauge(registers: Registry[], waitingPolls: () => number): void {
  const parked: Gauge = new Gauge({
    name: "outpost_agent_polls_waiting",
    help: "Agents whose poll waits for a job",
    registers,
    collect: () => parked.set(waitingPolls()),
  });
}

function addWorkGauge(registers: Registry[], works: MetricsDeps["works"]): void {
  const working: Gauge = new Gauge({
    name: "outpost_work_ok",
    help: "1 where this process gets it done, 0 where not: reading, writing, scheduling, delivering; /health has reasons",
    labelNames: ["work"],
    registers,
    collect: () => Object.entries(works()).forEach(([work, { status }]) => working.set({ work }, status === "ok" ? 1 : 0)),
  });
  const writing: Gauge = new Gauge({
    name: "outpost_store_write_seconds",
    help: "How long the last small write to the store took, until it was on its disk; there is one every 5 seconds",
    registers,
    collect: () => writing.set((works()["writing"]?.tookMs ?? 0) / 1_000),
  });
}

/** Read from the store when asked for, so that they are true for all processes together. */
function queueGauges({ jobs, nowMs }: MetricsDeps, tellsLocations: boolean): Registry {
  const registry = createRegistry();
  const registers = [registry];
  const labelNames = tellsLocations ? ["location"] : [];
  const leased = new Gauge({ name: "outpost_jobs_leased", help: "Jobs that agents run now", labelNames, registers });
  const oldest = new Gauge({ name: "outpost_jobs_oldest_due_seconds", help: "Age of the oldest queued job", labelNames, registers });
  const queued = new Gauge({
    name: "outpost_jobs_queued",
    help: tellsLocations
      ? "Jobs that wait for an agent, by the location's code; a queue that is empty is shown as 0"
      : "Jobs that wait for an agent; by location for whoever brings METRICS_TOKEN",
    labelNames,
    registers,
    async collect() {
      const now = nowMs();
      const queues = await jobs.locationQueues(now);
      for (const gauge of [queued, leased, oldest]) gauge.reset();
      // Of two accounts that use one code: the sum, and of the ages the greater, which comes last. The same of all together.
      for (const queue of queues.toSorted((a, b) => (b.oldestDueMs ?? now) - (a.oldestDueMs ?? now))) {
        const labels: Record<string, string> = tellsLocations ? { location: queue.code } : {};
        queued.inc(labels, queue.queued);
        leased.inc(labels, queue.leased);
        oldest.set(labels, Math.max(0, now - (queue.oldestDueMs ?? now)) / 1000);
      }
    },
  });
  return registry;
}
