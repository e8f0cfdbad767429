import type { AttemptReport } from "#contract/agent-protocol.ts";
import { type CheckType, checkTypes } from "#contract/checks/index.ts";
import type { CheckRow, Storage } from "../../../src/control-plane/storage/storage.ts";
import { attemptReport } from "../../support/attempt-report.ts";
import { agent, jobUuid, lease } from "../storage/fixture-data.ts";

/** One run of a check, and what came out. `retries`: attempts that failed before. */
export interface ReportedRun extends Partial<Omit<AttemptReport, "startedAt">> {
  readonly atMs: number;
  readonly location?: string;
  readonly retries?: number;
}

/** Starts these runs and reports all of them, as agents would. */
export async function reportRuns(
  storage: Pick<Storage, "checks" | "locations" | "schedule" | "jobs" | "agents" | "results">,
  accountId: number,
  checkUuid: string,
  runs: readonly ReportedRun[],
): Promise<void> {
  const check = await storage.checks.byUuid(accountId, checkUuid);
  if (!check) throw new Error("no such check");
  for (const [code, ofLocation] of Map.groupBy(runs, ({ location = "eu-west-1" }) => location)) {
    const [at] = await storage.locations.byCodes(accountId, [code]);
    if (!at) throw new Error(`no such location: ${code}`);
    await storage.schedule.startRuns(
      ofLocation.map(({ atMs }) => ({ accountId, checkId: check.id, runAtMs: atMs, source: "TRIGGER_API", locationIds: [at.id] })),
    );
    const nowMs = Date.now();
    const opened = await agent(storage as Storage, at, nowMs, ["2026.04"]);
    const by = { ...opened, checkTypes: Object.keys(checkTypes) };
    const jobs = await lease(storage as Storage, by, nowMs, ofLocation.length);
    const reports = ofLocation.flatMap((run) => {
      const job = jobs.find(({ runAtMs }) => runAtMs === run.atMs);
      if (!job) throw new Error("a run was not leased");
      return reportsOf(check, run, { jobId: jobUuid(job), fence: job.fence });
    });
    const answers = await storage.results.ingest(by, reports, nowMs);
    const refused = answers.find(({ outcome }) => outcome !== "accepted");
    if (refused) throw new Error(`not accepted: ${JSON.stringify(refused)}`);
  }
}

function reportsOf(check: CheckRow, run: ReportedRun, job: Pick<AttemptReport, "jobId" | "fence">): readonly AttemptReport[] {
  const { atMs, location: _, retries = 0, ...outcome } = run;
  const common = { ...job, checkType: check.type as CheckType, stoppedAt: atMs + 1_000, responseTimeMs: 100 };
  const failed = Array.from({ length: retries }, (_attempt, index) =>
    attemptReport({ ...common, attempt: index + 1, resultType: "ATTEMPT", startedAt: atMs + index, hasFailures: true }),
  );
  return [...failed, attemptReport({ ...common, attempt: retries + 1, startedAt: atMs + retries, ...outcome })];
}
