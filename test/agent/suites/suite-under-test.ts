import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../src/agent/host/clock.ts";
import { readExtraCas } from "../../../src/agent/host/extra-ca.ts";
import { createEgressPolicy } from "../../../src/agent/net/egress-policy.ts";
import { createStubResolver } from "../../../src/agent/net/stub-resolver.ts";
import { createTrust } from "../../../src/agent/net/tls.ts";
import type { PlaywrightEngine } from "../../../src/agent/playwright/playwright-engine.ts";
import type { Observation, RunContext } from "../../../src/agent/runners/check-runner.ts";
import { loadEngine, loadSuites } from "../../../src/agent/script-checks/load-engine.ts";
import type { SuiteOptions } from "../../../src/agent/suites/suite-engine.ts";
import { createSuiteRunner } from "../../../src/agent/suites/suite-runner.ts";
import { PlaywrightCheckResult, PlaywrightCheckSettings } from "../../../src/contract/checks/playwright.ts";
import { runtimesFolder } from "../../support/playwright-runtime.ts";

const quiet = { info() {}, warn() {} };
const accountId = "00000000-0000-4000-8000-000000000001";

/** What runs suites, with folders of its own. */
export class SuitesUnderTest implements AsyncDisposable {
  readonly folder: string;
  readonly #engine: PlaywrightEngine;
  readonly #options: SuiteOptions;
  /** Bundles by their SHA-256, and what was asked of them. */
  readonly bundles = new Map<string, Buffer>();
  readonly asked: string[] = [];

  private constructor(folder: string, engine: PlaywrightEngine, options: SuiteOptions) {
    this.folder = folder;
    this.#engine = engine;
    this.#options = options;
  }

  static async start(options: Partial<SuiteOptions> = {}): Promise<SuitesUnderTest> {
    const folder = mkdtempSync(join(tmpdir(), "outpost-suites-"));
    chmodSync(folder, 0o711);
    const extraCas = readExtraCas(process.env["NODE_EXTRA_CA_CERTS"] ?? null);
    const common = { trust: () => createTrust([]), clock: systemClock };
    const engine = await loadEngine({
      ...common,
      runtimesFolder,
      dataFolder: join(folder, "browser"),
      browserConcurrency: 1,
      multiStepConcurrency: 0,
      warm: 0,
      log: quiet,
      extraCas: () => extraCas,
    });
    if (engine === null) throw new Error("no engine");
    return new SuitesUnderTest(folder, engine, {
      ...common,
      concurrency: 1,
      workers: 2,
      memoryMb: 2048,
      bundleCacheMb: 64,
      dependencyCacheMb: 512,
      registry: null,
      path: process.env["PATH"] ?? "",
      hasScreenshots: true,
      dataFolder: join(folder, "suites"),
      ...options,
    });
  }

  add(bundle: Buffer): string {
    const sha256 = createHash("sha256").update(bundle).digest("hex");
    this.bundles.set(sha256, bundle);
    return `${sha256}.tar.gz`;
  }

  async run(
    settings: Partial<PlaywrightCheckSettings>,
    environment: Readonly<Record<string, string>> = {},
    more: Partial<RunContext> = {},
  ): Promise<Observation<"PLAYWRIGHT">> {
    const usual = {
      codeBundlePath: "",
      testCommand: "npx playwright test",
      installCommand: "",
      browsers: ["chromium"],
      engine: null,
      engineVersion: null,
    };
    const runner = createSuiteRunner(await loadSuites(this.#engine, this.#options));
    const seen = await runner.run(PlaywrightCheckSettings.parse({ ...usual, ...settings }), {
      signal: new AbortController().signal,
      monotonicMs: () => performance.now(),
      proxyUrl: null,
      resolver: createStubResolver(),
      egress: createEgressPolicy({ allowCidrs: [], denyCidrs: [], mode: "default", ownPorts: [] }),
      userAgent: "Outpost/test",
      script: { runtimeId: null, environment, snippets: {}, secrets: [] },
      bundles: {
        accountId,
        read: async (sha256, from, to) => {
          this.asked.push(`${sha256.slice(0, 8)} ${from}`);
          const all = this.bundles.get(sha256);
          if (all === undefined) throw new Error("no such bundle");
          return { bytes: all.subarray(from, to + 1), size: all.length };
        },
      },
      ...more,
    });
    PlaywrightCheckResult.parse(seen.result);
    return seen;
  }

  /** What is left of runs. */
  runFolders(): string[] {
    return readdirSync(join(this.folder, "suites/runs")).filter((name) => /^run-[^-]+$/.test(name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
