import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../src/agent/host/clock.ts";
import { browserSeats, multiStepSeats } from "../../../src/agent/host/script-seats.ts";
import { createEgressPolicy } from "../../../src/agent/net/egress-policy.ts";
import { createStubResolver } from "../../../src/agent/net/stub-resolver.ts";
import { createTrust } from "../../../src/agent/net/tls.ts";
import { createPlaywrightEngine, type PlaywrightOptions } from "../../../src/agent/playwright/create-playwright-engine.ts";
import type {
  PlaywrightContext,
  PlaywrightEngine,
  PlaywrightRun,
  PlaywrightTask,
  PlaywrightType,
} from "../../../src/agent/playwright/playwright-engine.ts";
import { BrowserRunResult, MultiStepRunResult } from "../../../src/contract/checks/playwright-run.ts";
import { noPlaywright, playwrightRuntime as runtimeId, runtimesFolder } from "../../support/playwright-runtime.ts";

export const runtimeFolder = join(runtimesFolder, runtimeId);
export const missing = noPlaywright;

const quiet = { info() {}, warn() {} } as unknown as PlaywrightOptions["log"];

/** An engine with a folder of its own. */
export class EngineUnderTest implements AsyncDisposable {
  readonly engine: PlaywrightEngine;
  readonly folder: string;

  private constructor(engine: PlaywrightEngine, folder: string) {
    this.engine = engine;
    this.folder = folder;
  }

  static async start(options: Partial<PlaywrightOptions> = {}): Promise<EngineUnderTest> {
    const folder = mkdtempSync(join(tmpdir(), "outpost-playwright-"));
    chmodSync(folder, 0o711);
    const dataFolder = join(folder, "browser");
    const seats = { browserConcurrency: browserSeats(), multiStepConcurrency: multiStepSeats() };
    const usual = { ...seats, runtimesFolder, dataFolder, warm: 0, trust: () => createTrust([]), log: quiet, clock: systemClock } as const;
    return new EngineUnderTest(await createPlaywrightEngine({ ...usual, ...options }), folder);
  }

  /** Runs a script; what it tells has to be as the contract wants it. */
  async run<T extends PlaywrightType>(
    type: T,
    script: string,
    more: Partial<PlaywrightTask<T> & PlaywrightContext> = {},
  ): Promise<PlaywrightRun<T>> {
    const task = {
      runtimeId,
      scriptPath: "check.spec.ts",
      files: [],
      environment: {},
      secrets: [],
      certificates: [],
      limitMs: 60_000,
      keepsAll: false,
      baselines: [],
    };
    const run = await this.engine.run<T>({ type, script, ...task, ...more }, { ...openContext(), ...more });
    (type === "BROWSER" ? BrowserRunResult : MultiStepRunResult).parse(run.result);
    return run;
  }

  /** Folders of runs that are there. */
  runFolders(): string[] {
    return readdirSync(join(this.folder, "browser"), { withFileTypes: true }).flatMap((one) =>
      one.isDirectory() && one.name !== "tools" ? one.name : [],
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** As an agent without settings has it. */
function openContext(): PlaywrightContext {
  return {
    signal: new AbortController().signal,
    monotonicMs: () => performance.now(),
    proxyUrl: null,
    resolver: createStubResolver(),
    egress: createEgressPolicy({ allowCidrs: [], denyCidrs: [], mode: "default", ownPorts: [] }),
  };
}
