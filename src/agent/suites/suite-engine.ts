import { existsSync } from "node:fs";
import { lstat, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import type { PlaywrightCheckResult } from "#contract/checks/playwright.ts";
import { AppError } from "#domain/app-error.ts";
import type { SuiteConfig } from "../config.ts";
import type { Network } from "../egress/network.ts";
import type { AgentClock } from "../host/clock.ts";
import { createTrustWithCertificates, identitiesOf } from "../net/client-identities.ts";
import type { Trust } from "../net/tls.ts";
import { mostMarkBytes, outcomeWith, reasonsIn } from "../playwright/degraded.ts";
import { evidenceFiles } from "../playwright/evidence-files.ts";
import { graceMs } from "../playwright/limits.ts";
import type { SuiteGround } from "../playwright/playwright-engine.ts";
import { failureOf } from "../playwright/run-failure.ts";
import { readBeginning, takeFiles } from "../playwright/run-files.ts";
import { removeOldRuns } from "../playwright/run-folder.ts";
import { tellProgress } from "../playwright/run-progress.ts";
import { type Remains, tell } from "../playwright/run-result.ts";
import { nothingTold, type Report, readReport, readSeen } from "../playwright/told.ts";
import type { TreeEnd } from "../playwright/told-ends.ts";
import type { FoundFile, ProbeFailure } from "../runners/check-runner.ts";
import type { TreeLimits } from "../sandbox/keep-tree.ts";
import { Seats } from "../sandbox/seats.ts";
import { BundleCache } from "./bundle-cache.ts";
import { compiledOf, compilePackages } from "./compile-packages.ts";
import { PackageCache } from "./package-cache.ts";
import { prepareSuite } from "./prepare-suite.ts";
import { type SuiteSettings, startSuite } from "./start-suite.ts";
import { cacheFolders, type SuiteCaches, suiteCaches } from "./suite-caches.ts";
import { suiteResult } from "./suite-result.ts";
import type { SuiteContext, SuiteNode, SuiteTask } from "./suite-task.ts";
import { SuitePlace, type SuiteTree } from "./suite-tree.ts";
import { unpackBundle } from "./unpack-bundle.ts";

export interface SuiteOptions extends SuiteConfig {
  /** Runs, bundles and packages have their folders below it; nothing else may be there. */
  readonly dataFolder: string;
  readonly hasScreenshots: boolean;
  readonly trust: Trust;
  readonly clock: AgentClock;
}

export interface SuiteRun {
  readonly startedMs: number;
  readonly stoppedMs: number;
  readonly responseTimeMs: number;
  readonly outcome: "passed" | "failed" | "degraded";
  readonly failure: ProbeFailure | null;
  readonly result: PlaywrightCheckResult;
  readonly files: readonly FoundFile[];
}

/** What `/health` tells of suites. */
export interface SuiteState {
  readonly running: number;
  readonly waiting: number;
  /** Of one suite, at most. */
  readonly workers: number;
  readonly level: SuiteGround["level"];
  readonly egress: SuiteGround["egressWall"];
  readonly browser: string | null;
  /** Versions of Node.js, the newest first. */
  readonly nodes: readonly string[];
  readonly caches: SuiteCaches | null;
  readonly cacheLimitsMb: { readonly bundles: number; readonly packages: number };
}

const megabyte = 1024 * 1024;
const mostSeenBytes = 8 * megabyte;
/** Older than any run. */
const oldMs = 2 * 60 * 60_000;
const tidyEveryMs = 10 * 60_000;
/** Of each of Playwright's workers: its browser opens half as many, and each to a server of the run itself is two. */
const connectionsOfWorker = 128;

/** Runs projects of Playwright tests as they are: their packages, their configuration, this agent's browser and way into the network. */
export class SuiteEngine {
  readonly #options: SuiteOptions;
  readonly #ground: SuiteGround;
  readonly #bundles: BundleCache;
  readonly #packages: PackageCache;
  readonly #seats: Seats;
  readonly #runsFolder: string;
  readonly #withCertificate = createTrustWithCertificates();
  #caches: SuiteCaches | null = null;

  constructor(options: SuiteOptions, ground: SuiteGround) {
    const { dataFolder, bundleCacheMb, dependencyCacheMb, registry, path, concurrency } = options;
    this.#options = options;
    this.#ground = ground;
    this.#runsFolder = join(dataFolder, "runs");
    this.#bundles = new BundleCache(join(dataFolder, cacheFolders.bundles), bundleCacheMb * megabyte);
    this.#packages = new PackageCache({
      folder: join(dataFolder, cacheFolders.packages),
      runsFolder: this.#runsFolder,
      mostBytes: dependencyCacheMb * megabyte,
      user: ground.user,
      toolsFolder: ground.toolsFolder,
      registry,
      path,
      authorities: async () => (await ground.authorities())?.file ?? null,
      onInstalled: (folder, task, network, signal) =>
        compilePackages(folder, task, { ground, runsFolder: this.#runsFolder, limits: this.#limits() }, network, signal),
    });
    this.#seats = new Seats(concurrency);
    const tidy = (): void => {
      void removeOldRuns(this.#runsFolder, options.clock.wallMs(), oldMs).catch(() => {}); // the next one tries again
      void this.#look();
    };
    tidy();
    setInterval(tidy, tidyEveryMs).unref();
  }

  /** Looks through the caches, which takes a while where they are large. */
  async #look(): Promise<void> {
    this.#caches = await suiteCaches(this.#options.dataFolder);
  }

  /** For people; without secrets. `caches`: as they were when they were looked through last; null: not yet. */
  state(): SuiteState {
    const { bundleCacheMb, dependencyCacheMb, workers } = this.#options;
    const { level, egressWall, browser, nodes } = this.#ground;
    return {
      running: this.#seats.taken,
      waiting: this.#seats.waiting,
      workers,
      level,
      egress: egressWall,
      browser,
      nodes: nodes.map(({ version }) => version),
      caches: this.#caches,
      cacheLimitsMb: { bundles: bundleCacheMb, packages: dependencyCacheMb },
    };
  }

  /** The Node.js of a suite. @throws {AppError} invalid_input where this agent has none of that version */
  nodeFor(wanted: string | null): SuiteNode {
    const { nodes } = this.#ground;
    const found =
      wanted === null ? nodes[0] : nodes.find(({ version }) => version === wanted || version.split(".")[0] === wanted.split(".")[0]);
    if (found !== undefined) return found;
    throw new AppError(
      "invalid_input",
      `engineVersion is ${JSON.stringify(wanted)}; this agent has Node.js ${nodes.map(({ version }) => version).join(", ")}`,
    );
  }

  /** @throws {AppError} where it cannot begin; @throws the signal's reason */
  async run(task: SuiteTask, context: SuiteContext): Promise<SuiteRun> {
    using _seat = await this.#seats.take(context.signal);
    const { resolver, egress, proxyUrl, signal } = context;
    const { trust } = this.#options;
    const network: Network = { resolver, egress, proxyUrl, trust, ...identitiesOf(task.certificates, trust, this.#withCertificate) };
    const beganMs = context.monotonicMs();
    const file = await this.#bundles.get(task.sha256, task.bundles, signal);
    using _bundle = this.#bundles.hold(file); // an install unpacks it once more
    const connections = connectionsOfWorker * (this.#options.workers + 1);
    await using place = await SuitePlace.make(this.#runsFolder, this.#ground.user, { connections });
    await unpackBundle(file, place.work);
    const unpackedMs = context.monotonicMs();
    const prepared = await prepareSuite(task, place, file, { packages: this.#packages, user: this.#ground.user }, network, signal);
    if (!prepared.isCached) void this.#look();
    using _held = prepared.folder === null ? null : this.#packages.hold(prepared.folder);
    const preparationMs = { bundle: unpackedMs - beganMs, packages: context.monotonicMs() - unpackedMs };
    const began = { startedMs: context.monotonicMs(), handedAt: this.#options.clock.wallMs() };
    const tree = await startSuite(task, place, prepared, this.#ground, this.#settings(prepared.folder), network);
    using telling = tellProgress(seenOf(place, tree), context.onProgress);
    const end = await tree.end(task.limitMs + graceMs, signal).finally(() => tree.stop());
    const stoppedMs = context.monotonicMs();
    telling.collect();
    const endedAt = began.handedAt + Math.ceil(stoppedMs - began.startedMs);
    const remains = await this.#remainsOf(place, prepared.testFolder, tree, end, { handedAt: began.handedAt, endedAt });
    const told = tell(remains);
    const failure = failureOf(end, { report: remains.report, errors: told.errors }, task, this.#limits(), tree);
    const outcome = failure === null ? outcomeWith(told.degradedBy !== undefined, told.outcome, told.errors, told.tests) : "failed";
    const written = await this.#written(place, remains, outcome);
    const { browser, level, egressWall } = this.#ground;
    return {
      ...began,
      stoppedMs,
      responseTimeMs: told.endTime - told.startTime,
      outcome,
      failure,
      result: suiteResult(
        remains,
        {
          ...told,
          jobLog: [
            ...linesOf(prepared.log, began.handedAt),
            ...told.jobLog,
            ...(end.how === "ended" ? linesOf(tree.errors.split("\n"), endedAt) : []),
          ],
        },
        written,
        {
          browser,
          level,
          egressWall,
          node: task.node.version,
          preparationMs,
          packageManager: prepared.manager,
          cachedPackages: prepared.isCached,
        },
      ),
      files: [...remains.files.map(({ kind: _kind, test: _test, ...one }) => one), ...written],
    };
  }

  async #remainsOf(
    place: SuitePlace,
    tests: string,
    tree: SuiteTree,
    end: TreeEnd,
    times: Pick<Remains, "handedAt" | "endedAt">,
  ): Promise<Remains> {
    const { run } = place.folder;
    const report = withServerAdvice(readReport(end.how === "told" ? end.line : tree.soFar) ?? nothingTold);
    const seen = readSeen(await readBeginning(join(run, "seen.ndjson"), mostSeenBytes));
    const files = await takeFiles(report, run, this.#runsFolder);
    const degradedBy = reasonsIn(await readBeginning(join(tests, "degraded.json"), mostMarkBytes));
    return {
      report,
      seen,
      files,
      firstPictures: 0,
      refusals: place.refusals,
      tlsProblems: place.tlsProblems,
      degradedBy,
      workFolder: place.work,
      ...times,
    };
  }

  /** What Playwright wrote of the whole run; its own report where the project asks for one. */
  async #written(place: SuitePlace, { seen }: Remains, outcome: SuiteRun["outcome"]): Promise<FoundFile[]> {
    const { run } = place.folder;
    const evidence = outcome === "passed" ? [] : await evidenceFiles(run, seen);
    const report = join(run, "html-report");
    const about = await lstat(report).catch(() => null);
    const kept = join(this.#runsFolder, `${basename(join(run, ".."))}-html-report`);
    // The run made it: a link leads anywhere, and one that nobody may read is none.
    const isMoved =
      about?.isDirectory() === true &&
      (await rename(report, kept).then(
        () => true,
        () => false,
      ));
    if (!isMoved || !existsSync(join(kept, "index.html"))) return evidence;
    return [...evidence, { name: "html-report.tar.gz", type: "report", contentType: "application/gzip", content: { folder: kept } }];
  }

  /** @param packages null: the project brings its own, which nothing was compiled of */
  #settings(packages: string | null): SuiteSettings {
    const { workers, hasScreenshots } = this.#options;
    const compiled = packages === null ? {} : { OUTPOST_COMPILED: compiledOf(packages) };
    return { workers, hasScreenshots, limits: this.#limits(), compiled };
  }

  #limits(): TreeLimits {
    return { memoryBytes: this.#options.memoryMb * megabyte, processes: 512, folderBytes: 2 * 1024 * megabyte };
  }
}

/** What a `webServer` needs and agents do not have stands in its output alone. */
function withServerAdvice(report: Report): Report {
  const why = report.output.map(({ msg }) => /webServer cannot be started here: .*/.exec(msg)?.[0]).find((line) => line !== undefined);
  if (why === undefined) return report;
  const errors = report.errors.map((error) =>
    error.message.includes("config.webServer") ? { ...error, message: `${why}\n${error.message}` } : error,
  );
  return { ...report, errors };
}

function seenOf({ folder }: SuitePlace, tree: SuiteTree) {
  return {
    folder,
    get soFar(): string {
      return tree.soFar;
    },
  };
}

function linesOf(log: readonly string[], time: number) {
  return log.map((msg) => ({ time, level: "INFO" as const, msg: msg.slice(0, 10_000) }));
}
