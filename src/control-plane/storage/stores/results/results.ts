import type { ReportAnswer } from "#contract/agent-protocol.ts";
import { partsOf } from "#domain/ids.ts";
import type { Engine } from "../../engine.ts";
import { GroupCommit } from "../../group-commit.ts";
import { jobOfResult, sessionOfJob } from "../../numbers.ts";
import type { Signals } from "../../signals/signals.ts";
import type { ResultStore } from "../../storage.ts";
import type { LocationCodes } from "../location-codes.ts";
import { incoming } from "./incoming.ts";
import { type IngestCall, ingestCalls } from "./ingest.ts";
import { ResultLists } from "./list.ts";
import { prune } from "./retention.ts";

/** Reports of one transaction, however many agents they come from. */
const reportsOfOneCommit = 1_000;

export function resultStore(engine: Engine, signals: Signals, codes: LocationCodes): ResultStore {
  const lists = new ResultLists(engine, codes);
  // SQLite has one writer; with PostgreSQL one batch is prepared while the other waits for the server.
  const lanes = engine.kind === "sqlite" ? 1 : 2;
  const commits = new GroupCommit<IngestCall, readonly ReportAnswer[]>(
    lanes,
    reportsOfOneCommit,
    (call) => call.entries.length,
    (calls) => ingestCalls(engine, signals, calls),
  );
  return {
    async ingest(agent, reports, nowMs) {
      return reports.length === 0 ? [] : commits.add({ entries: reports.map((report) => incoming(agent, report)), nowMs });
    },
    list: (filter) => lists.list(filter),
    page: (filter) => lists.page(filter),
    async byId(checkId, uuid) {
      const id = partsOf(uuid)?.n;
      if (id === undefined) return undefined;
      const session = await engine.reads
        .selectFrom("sessions")
        .select("run_at")
        .where("no", "=", sessionOfJob(jobOfResult(id)))
        .where("check_id", "=", checkId)
        .executeTakeFirst();
      return session && lists.byNumber(checkId, session.run_at, id);
    },
    ofSession: (session) => lists.ofSession(session),
    prune: (olderThanMs, limit) => prune(engine, olderThanMs, limit),
  };
}
