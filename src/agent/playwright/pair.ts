import { existsSync } from "node:fs";
import { chown, cp, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { EgressProxy, type EgressRefusal, type TlsProblem } from "../egress/egress-proxy.ts";
import type { Network } from "../egress/network.ts";
import type { WaitingChild } from "../sandbox/child-pool.ts";
import { KeptTree, type TreeLimits } from "../sandbox/keep-tree.ts";
import { childFolder } from "../sandbox/launch.ts";
import { browserWrapper } from "./browser-wrapper.ts";
import { compiledIn, keepCompiled } from "./compiled-code.ts";
import { insideFolder, outerFence, type TreeParts } from "./fence.ts";
import { mostConnections, oldestPairMs, startLimitMs } from "./limits.ts";
import { makeRunFolder, type RunFolder, writeProgram } from "./run-folder.ts";
import { ToldEnds, type TreeEnd } from "./told-ends.ts";

export interface PairOptions extends Pick<TreeParts, "runtimeFolder" | "node" | "user" | "browser" | "ffmpeg" | "toolsFolder"> {
  readonly dataFolder: string;
  /** What Node.js compiled of the runtime; the first pair makes it. */
  readonly compiledFolder: string;
  readonly limits: TreeLimits;
  /** Authorities of NODE_EXTRA_CA_CERTS, as a file and as the browser's database. */
  readonly authorities: { readonly file: string; readonly database: string | null } | null;
  readonly onClosed: (left: number) => void;
}

/** `playwright test` and its first worker, which wait for one job. */
export class PlaywrightPair implements WaitingChild {
  readonly folder: RunFolder;
  readonly #tree: KeptTree;
  readonly #egress: EgressProxy;
  readonly #options: PairOptions;
  readonly #told: ToldEnds;
  readonly #startedMs = performance.now();
  #closed: Promise<unknown> | undefined;

  private constructor(tree: KeptTree, egress: EgressProxy, folder: RunFolder, options: PairOptions) {
    this.#tree = tree;
    this.#egress = egress;
    this.folder = folder;
    this.#options = options;
    this.#told = new ToldEnds(tree, egress);
  }

  static async start(options: PairOptions): Promise<PlaywrightPair> {
    const { user, dataFolder, browser } = options;
    await using made = new AsyncDisposableStack();
    const proxy = await EgressProxy.open({ mostConnections, trustedUser: user ?? process.getuid?.() ?? null });
    const egress = made.adopt(proxy, (one) => one.close());
    const folder = made.adopt(await makeRunFolder(dataFolder, user), (one) => one.remove());
    const parts = { ...options, runFolder: folder.run, wrapper: browser === null ? null : folder.program, proxyPort: egress.port };
    if (browser !== null) await writeProgram(folder.program, browserWrapper(parts, browser, egress.authority.keyHash));
    if (options.authorities?.database != null) await giveDatabase(options.authorities.database, folder.run, user);
    const words = [
      options.node,
      "--require",
      join(insideFolder, "enter.cjs"),
      join(options.runtimeFolder, "node_modules/@playwright/test/cli.js"),
      "test",
      "-c",
      join(insideFolder, "host.config.cjs"),
    ];
    const tree = new KeptTree(outerFence(parts, words, surroundings(parts, options)), options.limits, folder.run);
    made.move(); // from here on `close` ends them
    return new PlaywrightPair(tree, egress, folder, options);
  }

  /** It ended, or has waited too long. */
  get hasExited(): boolean {
    return this.#tree.hasExited || performance.now() - this.#startedMs > oldestPairMs;
  }

  get proxy(): Pick<EgressProxy, "port" | "authorization" | "authority"> {
    return this.#egress;
  }

  get tlsProblems(): readonly TlsProblem[] {
    return this.#egress.tlsProblems;
  }

  get refusals(): readonly EgressRefusal[] {
    return this.#egress.refusals;
  }

  /** What was told before the end of a run, the last time. */
  get soFar(): string {
    return this.#told.soFar;
  }

  /** What it wrote where nobody looks, for a run that told nothing. */
  get errors(): string {
    return this.#tree.errors;
  }

  async ready(): Promise<string | null> {
    const end = await this.#told.next(startLimitMs, null);
    if (end.how === "told") {
      await keepCompiled(this.folder.run, this.#options.compiledFolder);
      return null;
    }
    return end.how === "ended"
      ? this.#tree.errors.trim().split("\n")[0]?.slice(0, 300) || "it ended without a word"
      : `it did not start (${end.how})`;
  }

  /** Hands over the job and waits for what the runner tells of it. @throws the signal's reason */
  async run(job: object, network: Network, limitMs: number, signal: AbortSignal): Promise<TreeEnd> {
    signal.throwIfAborted();
    this.#egress.serve(network);
    this.#tree.order(JSON.stringify(job));
    return this.#told.next(limitMs, signal);
  }

  /** Kills the tree; its folder stays until it is closed. */
  async stop(): Promise<number> {
    const left = await this.#tree.close();
    this.#egress.close();
    return left;
  }

  unref(): void {
    this.#tree.unref();
  }

  kill(): void {
    this.#tree.kill();
  }

  close(): Promise<unknown> {
    this.#closed ??= this.stop().then((left) => {
      this.#options.onClosed(left);
      return this.folder.remove();
    });
    return this.#closed;
  }
}

/** What every process of the tree but the browser begins with. */
function surroundings(
  { runFolder, toolsFolder }: TreeParts,
  { runtimeFolder, compiledFolder, authorities, browser }: PairOptions,
): Record<string, string> {
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: join(runFolder, "home"),
    TMPDIR: join(runFolder, "tmp"),
    XDG_CACHE_HOME: join(runFolder, "home"),
    XDG_CONFIG_HOME: join(runFolder, "home"),
    LANG: "C.UTF-8",
    TZ: "UTC",
    FORCE_COLOR: "0",
    PWTEST_CACHE_DIR: join(runFolder, "cache"),
    PLAYWRIGHT_BROWSERS_PATH: toolsFolder,
    PW_DISABLE_TS_ESM: "1", // until a script needs it
    ...(authorities === null ? {} : { NODE_EXTRA_CA_CERTS: authorities.file }),
    OUTPOST_RUNTIME: runtimeFolder,
    OUTPOST_EGRESS: join(childFolder, "egress.cjs"),
    OUTPOST_RUN: runFolder,
    ...(browser !== null && { OUTPOST_PAGES: "yes" }),
    ...(existsSync(compiledFolder) ? { OUTPOST_COMPILED: compiledFolder } : { OUTPOST_COMPILES: compiledIn(runFolder) }),
  };
}

/** Where Chromium looks for authorities. */
export async function giveDatabase(database: string, runFolder: string, user: number | null): Promise<void> {
  const target = join(runFolder, "home/.pki/nssdb");
  await mkdir(target, { recursive: true });
  await cp(database, target, { recursive: true });
  if (user === null) return;
  const names = await readdir(target);
  for (const path of [join(target, "../.."), join(target, ".."), target, ...names.map((name) => join(target, name))])
    await chown(path, user, user);
}
