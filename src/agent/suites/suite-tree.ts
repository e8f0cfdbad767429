import { join } from "node:path";
import { EgressProxy, type EgressRefusal, type TlsProblem } from "../egress/egress-proxy.ts";
import type { Network } from "../egress/network.ts";
import { outerFence, type TreeParts } from "../playwright/fence.ts";
import { mostConnections } from "../playwright/limits.ts";
import { makeRunFolder, type RunFolder } from "../playwright/run-folder.ts";
import { ToldEnds, type TreeEnd } from "../playwright/told-ends.ts";
import { KeptTree, type TreeLimits } from "../sandbox/keep-tree.ts";
import { childFolder } from "../sandbox/launch.ts";

/** A place to run in: a folder, and a way into the network that begins with the tree. */
export class SuitePlace implements AsyncDisposable {
  readonly folder: RunFolder;
  readonly #egress: EgressProxy;

  private constructor(folder: RunFolder, egress: EgressProxy) {
    this.folder = folder;
    this.#egress = egress;
  }

  /** @param ofRun of tests, which may have servers of their own; null: of an install */
  static async make(dataFolder: string, user: number | null, ofRun: { readonly connections: number } | null = null): Promise<SuitePlace> {
    const trustedUser = user ?? process.getuid?.() ?? null;
    const connections = ofRun?.connections ?? mostConnections;
    const egress = await EgressProxy.open({ mostConnections: connections, trustedUser, hasOwnPorts: ofRun !== null });
    try {
      return new SuitePlace(await makeRunFolder(dataFolder, user), egress);
    } catch (error) {
      egress.close();
      throw error;
    }
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

  /** Project, and what it writes. */
  get work(): string {
    return join(this.folder.run, "work");
  }

  /** Starts a program in the fence and hands it its order. */
  start(task: StartTask, network: Network): SuiteTree {
    const { parts, words, env, order, limits } = task;
    const whole = { ...parts, runFolder: this.folder.run, proxyPort: this.#egress.port };
    this.#egress.serve(network);
    const tree = new KeptTree(outerFence(whole, words, { ...this.#surroundings(), ...env }), limits, this.folder.run);
    tree.order(JSON.stringify(order));
    return new SuiteTree(tree, this.#egress);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#egress.close();
    await this.folder.remove();
  }

  #surroundings(): Record<string, string> {
    const { run } = this.folder;
    return {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: join(run, "home"),
      TMPDIR: join(run, "tmp"),
      XDG_CACHE_HOME: join(run, "home"),
      XDG_CONFIG_HOME: join(run, "home"),
      LANG: "C.UTF-8",
      TZ: "UTC",
      FORCE_COLOR: "0",
      OUTPOST_EGRESS: join(childFolder, "egress.cjs"),
      OUTPOST_RUN: run,
    };
  }
}

export interface StartTask {
  readonly parts: Omit<TreeParts, "runFolder" | "proxyPort">;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What it reads from descriptor 3. */
  readonly order: object;
  readonly limits: TreeLimits;
}

/** A program in its fence, with all that it starts. */
export class SuiteTree {
  readonly #tree: KeptTree;
  readonly #told: ToldEnds;

  constructor(tree: KeptTree, egress: EgressProxy) {
    this.#tree = tree;
    this.#told = new ToldEnds(tree, egress);
  }

  get soFar(): string {
    return this.#told.soFar;
  }

  get errors(): string {
    return this.#tree.errors;
  }

  get lastErrors(): string {
    return this.#tree.lastErrors;
  }

  get exit(): number | string | null {
    return this.#tree.exit;
  }

  /** @throws the signal's reason */
  end(limitMs: number, signal: AbortSignal): Promise<TreeEnd> {
    return this.#told.next(limitMs, signal);
  }

  /** @returns how many processes are left */
  stop(): Promise<number> {
    return this.#tree.close();
  }
}
