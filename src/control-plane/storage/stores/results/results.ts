import type { ReportAnswer } from "#contract/agent-protocol.ts";
import { partsOf } from "#domain/ids.ts";
import type { Engine } from "../../engine.ts";
import { GroupCommit, type Slices } from "../../group-commit.ts";
import { jobOfResult, sessionOfJob } from "../../numbers.ts";
import type { Signals } from "../../signals/signals.ts";
import type { ResultStore } from "../../storage.ts";
import type { LocationCodes } from "../location-codes.ts";
import { assetBody } from "./assets.ts";
import { incoming } from "./incoming.ts";
import { type IngestCall, ingestCalls } from "./ingest.ts";
import { lateUploadMs, ResultLists } from "./list.ts";
import { isMissed } from "./result-rows.ts";
import { prune } from "./retention.ts";

/** Reports of one transaction, however many agents they come from. */
const reportsOfOneCommit = 1_000;
/** Uploads that come so close together are stored together. An attempt that is tried again does not wait for it. */
const slices: Slices<IngestCall> = { ms: 25, isUrgent: ({ entries }) => entries.some(({ report }) => report.resultType !== "FINAL") };

export function resultStore(engine: Engine, signals: Signals, codes: LocationCodes): ResultStore {
  const lists = new ResultLists(engine, codes);
  // SQLite has one writer; with PostgreSQL one batch is prepared while the other waits for the server.
  const lanes = engine.kind === "sqlite" ? 1 : 2;
  const commits = new GroupCommit<IngestCall, readonly ReportAnswer[]>(
    lanes,
    reportsOfOneCommit,
    (call) => call.entries.length,
    (calls) => ingestCalls(engine, signals, calls),
    slices,
  );
  return {
    async ingest(agent, reports, nowMs) {
      const entries = Array.from(reports, (report) => incoming(agent, report));
      return entries.length === 0 ? [] : commits.add({ entries, nowMs });
    },
    list: (filter) => lists.list(filter),
    page: (filter) => lists.page(filter),
    async byId(checkId, uuid) {
      const found = await runOf(engine, checkId, uuid);
      return found && lists.byNumber(checkId, found.runAtMs, found.id);
    },
    async countMissed(checkId, fromMs, toMs) {
      const rows = await engine.reads
        .selectFrom("results")
        .select((eb) => ["location_id", eb.fn.countAll<number>().as("runs")])
        .where(isMissed)
        .where("check_id", "=", checkId)
        .where("started_at_us", ">=", fromMs * 1_000)
        .where("started_at_us", "<", toMs * 1_000)
        .groupBy("location_id")
        .execute();
      const names = await codes.of(rows.map((row) => row.location_id));
      return rows.map((row, index) => ({ locationCode: names[index] ?? "", runs: Number(row.runs) }));
    },
    async asset(checkId, uuid, name) {
      const found = await runOf(engine, checkId, uuid);
      return found && assetBody(engine, found.id, found.runAtMs * 1_000, (found.runAtMs + lateUploadMs) * 1_000, name);
    },
    ofSession: (session) => lists.ofSession(session),
    prune: (olderThanMs, limit, detailsOlderThanMs = olderThanMs) => prune(engine, { olderThanMs, detailsOlderThanMs, limit }),
  };
}

/** The number of a result and when its run started, which is where to look for it; undefined when the id is none of this check. */
async function runOf(engine: Engine, checkId: number, uuid: string): Promise<{ id: number; runAtMs: number } | undefined> {
  const id = partsOf(uuid)?.n;
  if (id === undefined) return undefined;
  const session = await engine.reads
    .selectFrom("sessions")
    .select("run_at")
    .where("no", "=", sessionOfJob(jobOfResult(id)))
    .where("check_id", "=", checkId)
    .where("test_session", "is", null)
    .executeTakeFirst();
  return session && { id, runAtMs: session.run_at };
}
