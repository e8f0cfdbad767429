import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from "prom-client";
import { reportOutcomes } from "#contract/agent-protocol.ts";
import { addBuildInfo } from "#daemon/build-info.ts";
import { createRegistry } from "#daemon/exposition.ts";
import type { OutboxState } from "../outbox/result-outbox.ts";
import { addModelCounters, type ModelUseTotals } from "./model-metrics.ts";

/** How a run ended, as a label: few values, and none of them names a check. */
export type RunVerdict = "passed" | "degraded" | "failed" | "error" | "agent_side" | "cancelled" | "lost" | "handed_back";

const runBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];

/** What is asked when somebody reads /metrics, rather than kept up to date. */
export interface MetricSources {
  readonly outbox: () => OutboxState;
  readonly artifacts: () => { readonly waiting: number; readonly bytes: number };
  readonly contactAgeMs: () => number | null;
  readonly clockAheadMs: () => number | null;
  readonly isReady: () => boolean;
  readonly running: () => number;
  readonly waiting: () => number;
  readonly besideSeats: () => number;
  readonly held: () => number;
  /** Null where no model is set. */
  readonly agentModel: () => ModelUseTotals | null;
}

export interface AgentMetrics {
  readonly registry: Registry;
  readonly attempts: Counter<"check_type" | "verdict">;
  readonly retries: Counter<"check_type">;
  readonly queueWait: Histogram;
  /** With exemplars, whose labels its type takes for its own. */
  readonly runTime: Histogram;
  readonly loopDelay: Histogram;
  readonly leasesLost: Counter;
  readonly evidenceSkipped: Counter<"reason">;
  readonly reports: Counter<"outcome">;
  readonly artifacts: Counter<"outcome">;
  readonly artifactBytes: Counter;
  /** The gauges ask these from now on. */
  observe(sources: MetricSources): void;
}

/** One registry per agent, so that several in one process (tests, `outpost up`) do not meet. */
export function createAgentMetrics(): AgentMetrics {
  const registry = createRegistry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  addBuildInfo("outpost_agent_build_info", registers);
  const reports = new Counter({
    name: "outpost_agent_reports_total",
    help: "Results answered by the control plane",
    labelNames: ["outcome"],
    registers,
  });
  for (const outcome of reportOutcomes) reports.inc({ outcome }, 0);
  return {
    registry,
    reports,
    attempts: new Counter({
      name: "outpost_agent_attempts_total",
      help: "Attempts by how they ended",
      labelNames: ["check_type", "verdict"],
      registers,
    }),
    retries: new Counter({
      name: "outpost_agent_retries_total",
      help: "Attempts that were followed by another",
      labelNames: ["check_type"],
      registers,
    }),
    queueWait: new Histogram({
      name: "outpost_agent_queue_wait_seconds",
      help: "From due to started",
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 360],
      registers,
    }),
    runTime: runTimes(registers),
    loopDelay: new Histogram({
      name: "outpost_agent_run_loop_delay_seconds",
      help: "Worst event-loop delay during an attempt",
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    }),
    leasesLost: new Counter({ name: "outpost_agent_leases_lost_total", help: "Jobs taken away by the control plane", registers }),
    evidenceSkipped: new Counter({
      name: "outpost_agent_evidence_skipped_total",
      help: "Failures of the network that were not looked into: too many at once, in a minute, or of the same kind",
      labelNames: ["reason"],
      registers,
    }),
    ...artifactCounters(registers),
    observe(sources) {
      addGauges(registers, sources);
      addModelCounters(registers, sources.agentModel);
    },
  };
}

function runTimes(registers: Registry[]): Histogram {
  return new Histogram<string>({
    name: "outpost_agent_run_seconds",
    help: "Length of attempts",
    labelNames: ["check_type"],
    buckets: runBuckets,
    enableExemplars: true,
    registers,
  });
}

function artifactCounters(registers: Registry[]): Pick<AgentMetrics, "artifacts" | "artifactBytes"> {
  const help = "Large files of results: uploaded, or let go for a reason";
  return {
    artifacts: new Counter({ name: "outpost_agent_artifacts_total", help, labelNames: ["outcome"], registers }),
    artifactBytes: new Counter({ name: "outpost_agent_artifact_bytes_total", help: "Bytes of artifacts that were uploaded", registers }),
  };
}

function addGauges(registers: Registry[], sources: MetricSources): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(read()) });
  };
  gauge("outpost_agent_ready", "1 when the agent is connected and takes jobs", () => Number(sources.isReady()));
  gauge("outpost_agent_jobs_running", "Runs under way", sources.running);
  gauge("outpost_agent_jobs_beside_seats", "Runs that gave their seat away and wait for a slow target", sources.besideSeats);
  gauge("outpost_agent_jobs_waiting", "Jobs that wait for a seat", sources.waiting);
  gauge("outpost_agent_leases_held", "Jobs held: running, waiting for a seat or for a retry", sources.held);
  gauge(
    "outpost_agent_control_plane_contact_age_seconds",
    "Since the control plane answered; NaN before the first answer",
    () => (sources.contactAgeMs() ?? Number.NaN) / 1000,
  );
  gauge(
    "outpost_agent_clock_ahead_seconds",
    "This machine's clock against the control plane's, by its last answer; NaN before the first",
    () => (sources.clockAheadMs() ?? Number.NaN) / 1000,
  );
  gauge("outpost_agent_outbox_depth", "Results not yet delivered", () => sources.outbox().depth);
  gauge("outpost_agent_artifacts_waiting", "Large files of results that are not uploaded yet", () => sources.artifacts().waiting);
  gauge("outpost_agent_artifacts_waiting_bytes", "Size of those on disk", () => sources.artifacts().bytes);
  gauge("outpost_agent_outbox_bytes", "Size of the outbox", () => sources.outbox().bytes);
  gauge("outpost_agent_outbox_oldest_seconds", "Age of the oldest result not yet delivered", () => sources.outbox().oldestSeconds);
  gauge(
    "outpost_agent_outbox_in_memory",
    "Results not yet delivered that no disk has: a crash would lose them",
    () => sources.outbox().inMemory,
  );
  gauge("outpost_agent_outbox_on_disk", "1 when results wait on disk, 0 when the disk is broken", () =>
    Number(sources.outbox().mode === "disk"),
  );
  const counter = (
    name: string,
    help: string,
    read: (state: OutboxState) => readonly (readonly [Record<string, string>, number])[],
    labelNames: string[],
  ): void => {
    const made: Counter = new Counter({
      name,
      help,
      labelNames,
      registers,
      collect: () => {
        made.reset();
        for (const [labels, value] of read(sources.outbox())) made.inc(labels, value);
      },
    });
  };
  counter(
    "outpost_agent_outbox_dropped_total",
    "Results that were let go",
    ({ dropped }) => Object.entries(dropped).map(([reason, lost]) => [{ reason }, lost] as const),
    ["reason"],
  );
  counter("outpost_agent_outbox_damaged_lines_total", "Damaged lines found on disk and set aside", ({ corrupt }) => [[{}, corrupt]], []);
}
