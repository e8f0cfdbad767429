import type { JobCertificate } from "#contract/agent-protocol.ts";
import type { BrowserRunResult, MultiStepRunResult } from "#contract/checks/playwright-run.ts";
import type { FoundFile, ProbeFailure, RunContext } from "../runners/check-runner.ts";
import type { EgressWall, SandboxLevel } from "../sandbox/sandbox.ts";
import type { Authorities } from "./authorities.ts";
import type { LedTree } from "./led-tree.ts";
import type { TakenPicture } from "./taken-pictures.ts";

export type PlaywrightType = "MULTI_STEP" | "BROWSER";

/** A script to run, with what its check, group and account bring. */
export interface PlaywrightTask<T extends PlaywrightType = PlaywrightType> {
  readonly type: T;
  readonly runtimeId: string;
  readonly script: string;
  /** Where the script stands among its files; `check.spec.ts` where the check does not say. */
  readonly scriptPath: string;
  /** What it imports, by path from the same folder; snippets are below `snippets/` of the script's own. */
  readonly files: readonly { readonly path: string; readonly content: string }[];
  readonly environment: Readonly<Record<string, string>>;
  /** What must not leave the agent; it is masked in the result and in all files. */
  readonly secrets: readonly string[];
  readonly certificates: readonly JobCertificate[];
  readonly limitMs: number;
  /** Evidence that is kept of a run that passed, too. */
  readonly keepsAll: boolean;
  /** What its screenshots are compared with. */
  readonly baselines: readonly TakenPicture[];
  /**
   * Who leads a run whose script takes orders (`inside/led.cjs`); it never throws. Such a run has a seat of its caller's and takes none of the engine.
   */
  readonly lead?: ((tree: LedTree) => Promise<void>) | undefined;
  /** They are named as code has them beside the script; absent: by test. */
  readonly isCodeNamed?: boolean;
}

export type PlaywrightContext = Pick<RunContext, "signal" | "monotonicMs" | "proxyUrl" | "resolver" | "egress" | "onProgress">;

/** What one run told. Times are milliseconds of `monotonicMs`. */
export interface PlaywrightRun<T extends PlaywrightType = PlaywrightType> {
  readonly startedMs: number;
  readonly stoppedMs: number;
  /** From the start of the first test to the end of the last one. */
  readonly responseTimeMs: number;
  readonly outcome: "passed" | "failed" | "degraded";
  /** Why there is no verdict of tests: time is up, memory, a process that ended, nothing that could be loaded. */
  readonly failure: ProbeFailure | null;
  readonly result: T extends "BROWSER" ? BrowserRunResult : MultiStepRunResult;
  /** Traces, screenshots, videos, reports: unscrubbed. */
  readonly files: readonly FoundFile[];
  /** Taken where there was nothing to compare a screenshot with: unscrubbed, as pictures are. */
  readonly pictures: readonly TakenPicture[];
}

/** Which types run on a runtime here. */
export interface PlaywrightOffer {
  readonly types: readonly PlaywrightType[];
  readonly playwrightVersion: string;
  /** Why a type is not among them, for people. */
  readonly limitation: string | null;
}

/** What was proved of this machine, for projects that bring their own Playwright. */
export interface SuiteGround {
  /** The newest first. */
  readonly nodes: readonly { readonly version: string; readonly file: string }[];
  readonly browser: string | null;
  readonly browserPath: string | null;
  readonly ffmpeg: string | null;
  readonly toolsFolder: string;
  /** The user that runs have; null: the agent's own. */
  readonly user: number | null;
  readonly level: SandboxLevel;
  readonly egressWall: EgressWall;
  /** Beside the usual ones, as a file and as the browser's database. */
  readonly authorities: () => Promise<Authorities | null>;
}

/** Playwright as this agent has it. */
export interface PlaywrightEngine {
  /** Null where nothing keeps a run apart. */
  readonly suiteGround: SuiteGround | null;
  readonly offers: ReadonlyMap<string, PlaywrightOffer>;
  /** `chromium/156.0.8078.79`; null where there is none. */
  readonly browser: string | null;
  readonly level: SandboxLevel;
  readonly egressWall: EgressWall;
  /** @throws {AppError} where this agent cannot run it, before anything starts; the signal's reason */
  run<T extends PlaywrightType>(task: PlaywrightTask<T>, context: PlaywrightContext): Promise<PlaywrightRun<T>>;
  /** For metrics. `left`: processes that a look a second after a run still found. */
  state(): { readonly running: number; readonly waiting: number; readonly warm: number; readonly left: number };
  close(): Promise<void>;
}
