import { isCheckType, isScriptType } from "#contract/checks/index.ts";
import type { PlaywrightLogLine } from "#contract/checks/playwright-run.ts";
import type { Logger } from "#daemon/logger.ts";
import type { Service } from "#daemon/service.ts";
import { sleep } from "#daemon/sleep.ts";
import { hasEnded } from "#domain/session-status.ts";
import { scriptLog } from "../rest/test-result-parts.ts";
import { lastOf, tellsProgress } from "../rest/test-session-view.ts";
import type { CodePicture, JobStore, RunPulse, StorageSignals, TestSessionRow, TestSessionStore } from "../storage/storage.ts";
import { type News, type Seen, Told } from "./run-news.ts";

export interface ResultFeedDeps {
  readonly testSessions: Pick<TestSessionStore, "byId" | "results" | "resultsOfRun" | "pulses" | "pictures" | "ofSuites">;
  readonly jobs: Pick<JobStore, "progress">;
  readonly signals: Pick<StorageSignals, "onSessionsEnded">;
  readonly log: Pick<Logger, "warn">;
  readonly nowMs: () => number;
  /** Base of links, without a slash at its end. */
  readonly publicUrl: () => string;
}

interface Follower {
  readonly accountId: number;
  readonly suite: string;
  readonly tell: (news: News) => void;
  readonly told: Told;
}

/** A test session that somebody follows. */
interface Followed {
  readonly accountId: number;
  readonly followers: Set<Follower>;
  /** What its runs looked like when they were read last. */
  seenAs: string;
  hasProgress: boolean;
  /** Of scripts that have ended, where lines are told: read once. */
  readonly logs: Map<number, readonly PlaywrightLogLine[]>;
}

/** How often it is looked whether something changed; the end of a run is told at once. */
const lookMs = 1_000;
/** Ends of many runs come together. */
const leastMs = 100;
const idleMs = 3_600_000;
/** A client follows what it starts a moment later. */
const suiteAgeMs = 86_400_000;
const idsOfOneQuery = 500;

/**
 * What becomes of test sessions, for those who follow them. Any process may have started one, and any process hears of its results; so each looks
 * into the store for what its own followers wait for: one query a second for all of them, and more only for what that shows to have changed.
 */
export class ResultFeed implements Service {
  readonly name = "live results";
  readonly #deps: ResultFeedDeps;
  /** Whose test session is not there yet. */
  readonly #waiting = new Set<Follower>();
  readonly #followed = new Map<number, Followed>();
  readonly #stopping = new AbortController();
  #waking = new AbortController();
  #running: Promise<void> | undefined;
  #unsubscribe = (): void => {};

  constructor(deps: ResultFeedDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#deps.signals.onSessionsEnded(() => {
      if (this.#followed.size > 0) this.#waking.abort();
    });
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#stopping.abort();
    await this.#running;
  }

  /** Tells all that there is of a suite, from its beginning on, until the answer is called. `tell` must not throw. */
  follow(accountId: number, suite: string, tell: (news: News) => void): () => void {
    const follower = { accountId, suite, tell, told: new Told() };
    this.#waiting.add(follower);
    this.#waking.abort();
    return () => {
      this.#waiting.delete(follower);
      for (const [id, { followers }] of this.#followed) if (followers.delete(follower) && followers.size === 0) this.#followed.delete(id);
    };
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#waking = new AbortController();
      await this.#look().catch((error: unknown) => this.#deps.log.warn({ err: error }, "could not read live results; retrying"));
      await sleep(leastMs, signal);
      const restMs = this.#waiting.size + this.#followed.size === 0 ? idleMs : lookMs;
      await sleep(restMs, AbortSignal.any([signal, this.#waking.signal]));
    }
  }

  async #look(): Promise<void> {
    await this.#findSuites();
    for (const ids of chunks([...this.#followed.keys()])) {
      const pulses = Map.groupBy(await this.#deps.testSessions.pulses(ids), ({ testSession }) => testSession);
      for (const id of ids) await this.#lookAt(id, pulses.get(id) ?? []);
    }
  }

  async #findSuites(): Promise<void> {
    const { testSessions, nowMs } = this.#deps;
    for (const suites of chunks([...new Set([...this.#waiting].map(({ suite }) => suite))])) {
      for (const { id, accountId, suite } of await testSessions.ofSuites(suites, nowMs() - suiteAgeMs)) {
        for (const follower of this.#waiting) if (follower.accountId === accountId && follower.suite === suite) this.#join(id, follower);
      }
    }
  }

  #join(id: number, follower: Follower): void {
    const { accountId } = follower;
    const session = this.#followed.getOrInsertComputed(id, () => ({
      accountId,
      followers: new Set(),
      seenAs: "",
      hasProgress: false,
      logs: new Map(),
    }));
    session.followers.add(follower);
    session.seenAs = ""; // the new one knows nothing yet
    this.#waiting.delete(follower);
  }

  async #lookAt(id: number, pulses: readonly RunPulse[]): Promise<void> {
    const one = this.#followed.get(id);
    if (one === undefined) return;
    const looksAs = JSON.stringify(pulses);
    if (looksAs === one.seenAs && !one.hasProgress) return;
    const seen = await this.#read(id, one, pulses);
    if (seen === undefined) return void this.#followed.delete(id);
    one.seenAs = looksAs;
    one.hasProgress = seen.session.definition.tellsLogs === true && seen.session.runs.some(tellsProgress);
    for (const { told, tell } of one.followers) for (const news of told.newsOf(seen, this.#deps.publicUrl())) tell(news);
    if (pulses.every(({ hasEnded }) => hasEnded)) this.#followed.delete(id);
  }

  /** The session before its results: one that has ended has all of them. */
  async #read(id: number, { accountId, logs }: Followed, pulses: readonly RunPulse[]): Promise<Seen | undefined> {
    const { testSessions } = this.#deps;
    const session = await testSessions.byId(accountId, id);
    if (session === undefined) return undefined;
    const [rows, progress, pictures] = await Promise.all([
      testSessions.results(session),
      this.#progressOf(session),
      session.definition.updatesSnapshots === true ? testSessions.pictures(session) : new Map<number, readonly CodePicture[]>(),
    ]);
    await this.#readLogs(session, logs);
    return { session, rows, progress, logs, pictures, pulses: new Map(pulses.map((pulse) => [pulse.jobNo, pulse])) };
  }

  async #readLogs(session: TestSessionRow, logs: Map<number, readonly PlaywrightLogLine[]>): Promise<void> {
    if (session.definition.tellsLogs !== true) return;
    for (const run of session.runs) {
      const { jobNo, status, check } = run;
      if (logs.has(jobNo) || !hasEnded(status) || !isCheckType(check.type) || !isScriptType(check.type)) continue;
      const row = lastOf(await this.#deps.testSessions.resultsOfRun(session, run));
      logs.set(jobNo, row === undefined ? [] : scriptLog(check.type, row));
    }
  }

  async #progressOf({ definition, runs }: TestSessionRow): Promise<ReadonlyMap<number, string>> {
    const told = definition.tellsLogs === true ? runs.filter(tellsProgress) : [];
    return told.length === 0 ? new Map<number, string>() : this.#deps.jobs.progress(told.map(({ jobNo }) => jobNo));
  }
}

function chunks<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / idsOfOneQuery) }, (_, index) =>
    all.slice(index * idsOfOneQuery, (index + 1) * idsOfOneQuery),
  );
}
