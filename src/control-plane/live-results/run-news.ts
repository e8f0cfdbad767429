import { isCheckType, isScriptType } from "#contract/checks/index.ts";
import type { PlaywrightLogLine } from "#contract/checks/playwright-run.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import { RunProgress } from "#contract/run-progress.ts";
import { hasEnded } from "#domain/session-status.ts";
import { sequenceUuid, testResultUuid } from "../kinds/ids.ts";
import { instant } from "../kinds/instants.ts";
import { lastOf, testResultView } from "../rest/test-session-view.ts";
import type { CodePicture, ResultRow, RunPulse, TestSessionRow } from "../storage/storage.ts";
import type { NewsKind } from "./topics.ts";

/** Something that a follower is told of a run. */
export interface News {
  readonly sequenceId: string;
  readonly runId: string;
  readonly kind: NewsKind;
  readonly message: unknown;
}

type Run = TestSessionRow["runs"][number];

/** What a test session has come to at one moment. */
export interface Seen {
  readonly session: TestSessionRow;
  /** Of all runs, newest first. */
  readonly rows: readonly ResultRow[];
  /** By the numbers of the jobs. */
  readonly pulses: ReadonlyMap<number, RunPulse>;
  /** What agents told of scripts that run, by the numbers of the jobs. */
  readonly progress: ReadonlyMap<number, string>;
  /** The whole log of scripts that have ended, by the numbers of the jobs. */
  readonly logs: ReadonlyMap<number, readonly PlaywrightLogLine[]>;
  /** Pictures that were taken for code, by the numbers of the jobs. */
  readonly pictures: ReadonlyMap<number, readonly CodePicture[]>;
}

/** As agents cut the lines that they tell while a script runs. */
const longestLine = 2_000;
/** Of one message, which a follower must be able to take. */
const mostLines = 100;

/** What one follower knows already. */
export class Told {
  readonly #begun = new Set<number>();
  readonly #attempts = new Set<string>();
  readonly #ended = new Set<number>();
  readonly #lines = new Map<number, Set<string>>();

  /** What is new to the follower; the next call takes it for told. @param base of links, without a slash at its end */
  newsOf(seen: Seen, base: string): readonly News[] {
    const byJob = Map.groupBy(seen.rows, (row) => row.jobNo);
    return seen.session.runs.flatMap((run) => this.#ofRun(seen, run, byJob.get(run.jobNo) ?? [], base));
  }

  #ofRun(seen: Seen, run: Run, rows: readonly ResultRow[], base: string): readonly News[] {
    const { session, pulses } = seen;
    const { jobNo } = run;
    if (this.#ended.has(jobNo)) return [];
    const runAtMs = session.startedAtMs;
    const to = { sequenceId: sequenceUuid({ jobNo, runAtMs }), runId: run.check.clientRunId ?? testResultUuid({ jobNo, runAtMs }) };
    const news: News[] = [];
    const hasBegun = pulses.get(jobNo)?.hasBegun === true || rows.some(({ resultType }) => resultType !== "MISSED");
    if (hasBegun && !this.#begun.has(jobNo)) {
      this.#begun.add(jobNo);
      news.push({ ...to, kind: "run-start", message: {} });
    }
    const lines = this.#newLines(seen, jobNo);
    if (lines.length > 0) news.push({ ...to, kind: "stream-logs", message: { logs: lines } });
    for (const row of rows.filter(({ resultType }) => resultType === "ATTEMPT").toSorted((a, b) => a.attempt - b.attempt)) {
      if (this.#attempts.has(`${jobNo} ${row.attempt}`)) continue;
      this.#attempts.add(`${jobNo} ${row.attempt}`);
      news.push({ ...to, kind: "result", message: resultMessage(seen, run, row, base) });
    }
    if (hasEnded(run.status)) {
      this.#ended.add(jobNo);
      news.push({ ...to, ...endOf(seen, run, lastOf(rows), base) });
    }
    return news;
  }

  /** Of a script that runs its last lines are known, of one that has ended all. */
  #newLines({ progress, logs }: Seen, jobNo: number): readonly { readonly timestamp: number; readonly message: string }[] {
    const { data } = RunProgress.safeParse(JSON.parse(progress.get(jobNo) ?? "null"));
    const told = this.#lines.getOrInsertComputed(jobNo, () => new Set());
    const lines = (logs.get(jobNo) ?? data?.log ?? []).map(({ time, msg }) => ({ timestamp: time, message: msg.slice(0, longestLine) }));
    const fresh = lines.filter(({ timestamp, message }) => !told.has(`${timestamp} ${message}`)).slice(-mostLines);
    for (const { timestamp, message } of fresh) told.add(`${timestamp} ${message}`);
    return fresh;
  }
}

/** How a run ended: with a result, or because nobody ran it. */
function endOf(seen: Seen, run: Run, row: ResultRow | undefined, base: string): Pick<News, "kind" | "message"> {
  if (row?.resultType !== "MISSED") return { kind: "result", message: resultMessage(seen, run, row, base) };
  const why = row.errorMessage ?? `no agent at ${seen.session.locationCode} ran the check in time (${row.missedReason ?? "missed"})`;
  return { kind: "error", message: why };
}

/** @param row undefined for a run that was cancelled before it began */
function resultMessage({ session, pictures }: Seen, run: Run, row: ResultRow | undefined, base: string): unknown {
  const { testSessionResultId, testSessionResultLink: _link, resultType, ...result } = testResultView(session, run, row, base);
  const runAtMs = session.startedAtMs;
  return {
    result: {
      ...result,
      isCancelled: row?.isCancelled ?? result.status === "CANCELLED",
      attempts: row?.attempt ?? 0,
      checkRunId: runAtMs,
      sequenceId: sequenceUuid({ jobNo: run.jobNo, runAtMs }),
      created_at: instant(row?.createdAtMs ?? runAtMs),
      ...(row !== undefined && { assets: assetsOf(session, run, testSessionResultId, pictures.get(run.jobNo) ?? []) }),
    },
    ...(session.definition.isUnrecorded !== true && { testResultId: testSessionResultId }),
    resultType,
  };
}

/** Where the client has the log and the details from. */
function assetsOf({ locationCode }: TestSessionRow, { check: { type } }: Run, id: string, snapshots: readonly CodePicture[]): object {
  const isScript = isCheckType(type) && isScriptType(type);
  const logs = isScript || traitsOf(type).request === "http";
  return {
    region: locationCode,
    ...(logs && { logPath: id }),
    ...(!isScript && { checkRunDataPath: id }),
    ...(snapshots.length > 0 && { snapshots }),
  };
}
