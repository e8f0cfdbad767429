import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserRunResult, MultiStepRunResult } from "#contract/checks/playwright-run.ts";
import type { Logger } from "#daemon/logger.ts";
import { AppError } from "#domain/app-error.ts";
import type { AgentClock } from "../host/clock.ts";
import { createTrustWithCertificates, identitiesOf } from "../net/client-identities.ts";
import type { Trust } from "../net/tls.ts";
import type { FoundFile } from "../runners/check-runner.ts";
import { ChildPool } from "../sandbox/child-pool.ts";
import type { TreeLimits } from "../sandbox/keep-tree.ts";
import type { EgressWall, SandboxLevel } from "../sandbox/sandbox.ts";
import { Seats } from "../sandbox/seats.ts";
import { compiledFolder } from "./compiled-code.ts";
import { mostMarkBytes, outcomeWith, reasonsIn } from "./degraded.ts";
import { evidenceFiles } from "./evidence-files.ts";
import { acceptFirstPictures } from "./first-pictures.ts";
import { type Ground, survey } from "./ground.ts";
import { whileLed } from "./led-tree.ts";
import { defaultLimits, evidenceMs, graceMs } from "./limits.ts";
import { consoleOf, pagesOf, requestsOf, summaryOf } from "./pages.ts";
import { PlaywrightPair } from "./pair.ts";
import type {
  PlaywrightContext,
  PlaywrightEngine,
  PlaywrightOffer,
  PlaywrightRun,
  PlaywrightTask,
  PlaywrightType,
  SuiteGround,
} from "./playwright-engine.ts";
import { failureOf } from "./run-failure.ts";
import { evidenceNames, type KeptFile, readBeginning, takeFiles } from "./run-files.ts";
import { removeOldRuns } from "./run-folder.ts";
import { tellProgress } from "./run-progress.ts";
import { type Remains, type Told, tell } from "./run-result.ts";
import { suggestionsOf } from "./suggestions-of.ts";
import { takenPictures } from "./taken-pictures.ts";
import { type PreparedTask, prepareTask, shownSecrets } from "./task.ts";
import { nothingTold, readReport, readSeen } from "./told.ts";
import type { TreeEnd } from "./told-ends.ts";

export interface PlaywrightOptions {
  readonly runtimesFolder: string;
  /** Runs have their folders below it; nothing else may be there. */
  readonly dataFolder: string;
  /** BROWSER_PATH; null: the one of the system. */
  readonly browserPath?: string | null;
  /** BROWSER_CONCURRENCY and MULTI_STEP_CONCURRENCY; 0: the type is not offered. */
  readonly browserConcurrency: number;
  readonly multiStepConcurrency: number;
  /** BROWSER_WARM: pairs that wait for each type, of all runtimes together. */
  readonly warm?: number;
  /** BROWSER_MEMORY_MB, of one run. */
  readonly memoryMb?: number;
  /** BROWSER_EGRESS. */
  readonly wantedWall?: "auto" | "require";
  /** BROWSER_SCREENSHOTS. */
  readonly hasScreenshots?: boolean;
  readonly trust: Trust;
  /** Authorities of NODE_EXTRA_CA_CERTS, as PEM. */
  readonly extraCas?: () => readonly string[];
  readonly log: Pick<Logger, "info" | "warn">;
  readonly clock: AgentClock;
  /** Where the self-test may put two files for a moment. */
  readonly scratchFolders?: readonly string[];
}

const megabyte = 1024 * 1024;
const tidyEveryMs = 10 * 60_000;
const mostSeenBytes = 8 * megabyte;

/** Playwright as this machine can contain it. The self-test takes a second for each runtime; nothing waits before a first run asked for it. */
export async function createPlaywrightEngine(options: PlaywrightOptions): Promise<PlaywrightEngine> {
  const { browserConcurrency, multiStepConcurrency, scratchFolders = [tmpdir(), "/dev/shm"] } = options;
  const ground = await survey({ ...options, scratchFolders, withBrowser: browserConcurrency > 0, withMultiStep: multiStepConcurrency > 0 });
  return new Engine(options, ground, { BROWSER: new Seats(browserConcurrency), MULTI_STEP: new Seats(multiStepConcurrency) });
}

class Engine implements PlaywrightEngine {
  readonly offers: ReadonlyMap<string, PlaywrightOffer>;
  readonly browser: string | null;
  readonly level: SandboxLevel;
  readonly egressWall: EgressWall;
  readonly suiteGround: SuiteGround | null;
  readonly #options: PlaywrightOptions;
  readonly #ground: Ground;
  readonly #seats: Readonly<Record<PlaywrightType, Seats>>;
  /** A pair for multistep checks has no right to execute the browser, so no other type can have it. */
  readonly #pools: Readonly<Record<PlaywrightType, ChildPool<PlaywrightPair>>>;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #tidy: NodeJS.Timeout | undefined;
  readonly #withCertificate = createTrustWithCertificates();
  #left = 0;

  constructor(options: PlaywrightOptions, ground: Ground, seats: Readonly<Record<PlaywrightType, Seats>>) {
    this.#options = options;
    this.#ground = ground;
    this.#seats = seats;
    this.offers = ground.offers;
    this.browser = ground.browser;
    this.level = ground.level;
    this.egressWall = ground.egressWall;
    this.suiteGround = suiteGroundOf(ground, options);
    const pool = (type: PlaywrightType): ChildPool<PlaywrightPair> =>
      new ChildPool({ most: options.warm ?? 1, clock: options.clock, start: (runtimeId) => this.#start(type, runtimeId) });
    this.#pools = { BROWSER: pool("BROWSER"), MULTI_STEP: pool("MULTI_STEP") };
    if (ground.runtimes.size === 0) return;
    const tidy = (): void => void removeOldRuns(options.dataFolder, options.clock.wallMs()).catch(() => {}); // the next one tries again
    tidy();
    this.#tidy = setInterval(tidy, tidyEveryMs).unref();
  }

  state(): { readonly running: number; readonly waiting: number; readonly warm: number; readonly left: number } {
    const [browser, multiStep] = [this.#seats.BROWSER, this.#seats.MULTI_STEP];
    return {
      running: browser.taken + multiStep.taken,
      waiting: browser.waiting + multiStep.waiting,
      warm: this.#pools.BROWSER.warm + this.#pools.MULTI_STEP.warm,
      left: this.#left,
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#tidy);
    this.#closing.abort(new AppError("cancelled", "the agent ends"));
    const closePools = (): Promise<unknown> => Promise.all(Object.values(this.#pools).map((pool) => pool.close()));
    await Promise.allSettled([...this.#running, closePools()]);
    await closePools(); // those that ran are given back by now
  }

  async run<T extends PlaywrightType>(task: PlaywrightTask<T>, context: PlaywrightContext): Promise<PlaywrightRun<T>> {
    context.signal.throwIfAborted();
    this.#refuse(task);
    const prepared = prepareTask(task);
    const running = this.#runSeated(task, prepared, context);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** @throws {AppError} where it does not run here */
  #refuse({ type, runtimeId }: PlaywrightTask): void {
    const offer = this.offers.get(runtimeId);
    if (offer === undefined)
      throw new AppError("not_found", `Runtime ${runtimeId} is not installed at this agent: outpost runtime install ${runtimeId}`);
    if (!offer.types.includes(type))
      throw new AppError(
        "forbidden",
        `${type} checks do not run on runtime ${runtimeId} at this agent: ${offer.limitation ?? "its concurrency is 0"}`,
      );
  }

  async #runSeated<T extends PlaywrightType>(
    task: PlaywrightTask<T>,
    prepared: PreparedTask,
    context: PlaywrightContext,
  ): Promise<PlaywrightRun<T>> {
    const signal = AbortSignal.any([context.signal, this.#closing.signal]);
    using _seat = task.lead === undefined ? await this.#seats[task.type].take(signal) : null;
    const pool = this.#pools[task.type];
    const pair = await pool.take(task.runtimeId).catch((error: unknown) => {
      signal.throwIfAborted(); // it is why none started
      throw error;
    });
    try {
      return await this.#runIn(pair, task, prepared, { ...context, signal });
    } finally {
      pool.give(task.runtimeId, pair);
    }
  }

  async #runIn<T extends PlaywrightType>(
    pair: PlaywrightPair,
    task: PlaywrightTask<T>,
    prepared: PreparedTask,
    context: PlaywrightContext,
  ): Promise<PlaywrightRun<T>> {
    const { resolver, egress, proxyUrl, signal } = context;
    const { trust } = this.#options;
    const [startedMs, handedAt] = [context.monotonicMs(), this.#options.clock.wallMs()];
    const job = { ...this.#jobOf(pair, task, prepared), isWatched: context.onProgress !== undefined };
    using telling = tellProgress(pair, context.onProgress);
    const way = { resolver, egress, proxyUrl, trust, ...identitiesOf(task.certificates, trust, this.#withCertificate) };
    const end = await whileLed(task.lead, pair, pair.run(job, way, task.limitMs + graceMs, signal));
    const stoppedMs = context.monotonicMs();
    const endedAt = handedAt + Math.ceil(stoppedMs - startedMs); // a clock that was set in between changes no duration
    telling.collect();
    await pair.stop();
    const pictures = await takenPictures(pair.folder.run, new Set(task.baselines.map(({ name }) => name))); // before they are moved as evidence
    const remains = await this.#remainsOf(pair, end, { handedAt, endedAt });
    const told = tell(remains);
    const failure = failureOf(end, { report: remains.report, errors: told.errors }, task, this.#limits(), pair);
    const outcome = failure === null ? outcomeWith(told.degradedBy !== undefined, told.outcome, told.errors, told.tests) : "failed";
    const suggestions = outcome === "failed" ? await suggestionsOf(task, remains.report, told.errors, remains.files) : [];
    const suggested = suggestions.length > 0 && { suggestions };
    const written = outcome === "passed" && !task.keepsAll ? [] : await evidenceFiles(pair.folder.run, remains.seen);
    return {
      startedMs,
      stoppedMs,
      responseTimeMs: told.endTime - told.startTime,
      outcome,
      failure,
      result: this.#resultOf(task, prepared, remains, { ...told, ...suggested }, written) as PlaywrightRun<T>["result"],
      files: [...remains.files.map(({ kind: _kind, test: _test, ...file }) => file), ...written],
      pictures,
    };
  }

  /** Of a tree that is dead: nothing changes any more. */
  async #remainsOf(pair: PlaywrightPair, end: TreeEnd, times: Pick<Remains, "handedAt" | "endedAt">): Promise<Remains> {
    const { run } = pair.folder;
    const told = readReport(end.how === "told" ? end.line : pair.soFar) ?? nothingTold;
    const { report, firstPictures } = acceptFirstPictures(told);
    const seen = readSeen(await readBeginning(join(run, "seen.ndjson"), mostSeenBytes));
    const files = await takeFiles(report, run, this.#options.dataFolder);
    const workFolder = join(run, "work");
    const degradedBy = reasonsIn(await readBeginning(join(workFolder, "degraded.json"), mostMarkBytes));
    return { report, seen, files, firstPictures, refusals: pair.refusals, tlsProblems: pair.tlsProblems, degradedBy, workFolder, ...times };
  }

  #resultOf(
    task: PlaywrightTask,
    { isPlain }: PreparedTask,
    { report, seen, files }: Remains,
    { outcome: _outcome, ...told }: Told,
    written: readonly FoundFile[],
  ): BrowserRunResult | MultiStepRunResult {
    const namesOf = (kind: KeptFile["kind"]): string[] => files.filter((file) => file.kind === kind).map(({ name }) => name);
    const pages = pagesOf(seen);
    const ofBoth: MultiStepRunResult = {
      ...told,
      runtimeVersion: task.runtimeId,
      playwrightVersion: report.version || (this.offers.get(task.runtimeId)?.playwrightVersion ?? ""),
      jobAssets: [...files, ...written].map(({ name }) => name),
      playwrightTestVideos: namesOf("video"),
      playwrightTestTraces: namesOf("trace"),
      playwrightTestJsonReportFile: written.find(({ name }) => name === evidenceNames.report)?.name ?? null,
      requests: requestsOf(seen, pages, told.steps, told.startTime),
      sandboxLevel: this.level,
      scriptEgress: this.egressWall,
    };
    if (task.type === "MULTI_STEP") return ofBoth;
    return {
      ...ofBoth,
      type: isPlain ? "PLAYWRIGHT" : "PLAYWRIGHT_TEST",
      browserVersion: this.browser ?? "",
      pages,
      traceSummary: summaryOf(seen),
      console: consoleOf(seen, pages, told.startTime),
    };
  }

  #jobOf(pair: PlaywrightPair, task: PlaywrightTask, { script, files, env }: PreparedTask): object {
    const { port, authorization, authority } = pair.proxy;
    const { type, limitMs, keepsAll, certificates, baselines, isCodeNamed = false } = task;
    return {
      type,
      script,
      files,
      env,
      limitMs,
      evidenceMs: evidenceMs(limitMs),
      keepsAll,
      baselines,
      isCodeNamed,
      certificates: certificates.map(({ host }) => host),
      authority: authority.certificate,
      shownSecrets: shownSecrets(task.secrets, task.environment),
      hasScreenshots: this.#options.hasScreenshots ?? true,
      hasVideo: this.#ground.ffmpeg !== null,
      browser: pair.folder.program,
      proxy: { port, authorization },
    };
  }

  async #start(type: PlaywrightType, runtimeId: string): Promise<PlaywrightPair> {
    const runtime = this.#ground.runtimes.get(runtimeId);
    if (runtime === undefined) throw new Error(`no runtime ${runtimeId}`);
    const { user, ffmpeg, browserPath, toolsFolder } = this.#ground;
    const authorities = await this.#ground.authorities(this.#options.extraCas?.() ?? []);
    const onClosed = (left: number): void => void (this.#left += left);
    const { dataFolder } = this.#options;
    return PlaywrightPair.start({
      ...runtime,
      user,
      ffmpeg: type === "BROWSER" ? ffmpeg : null,
      toolsFolder,
      compiledFolder: await compiledFolder(toolsFolder, runtime.runtimeFolder),
      browser: type === "BROWSER" ? browserPath : null,
      dataFolder,
      limits: this.#limits(),
      authorities,
      onClosed,
    });
  }

  #limits(): TreeLimits {
    const { memoryMb } = this.#options;
    return memoryMb === undefined ? defaultLimits : { ...defaultLimits, memoryBytes: memoryMb * megabyte };
  }
}

function suiteGroundOf(ground: Ground, { extraCas }: PlaywrightOptions): SuiteGround | null {
  if (ground.level < 2) return null;
  const { browser, browserPath, ffmpeg, toolsFolder, user, level, egressWall } = ground;
  const nodes = [...ground.runtimes.values()].map(({ node, nodeVersion }) => ({ version: nodeVersion, file: node }));
  const authorities = (): ReturnType<Ground["authorities"]> => ground.authorities(extraCas?.() ?? []);
  return { nodes, browser, browserPath, ffmpeg, toolsFolder, user, level, egressWall, authorities };
}
