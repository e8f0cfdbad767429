import { systemClock } from "../../../src/agent/host/clock.ts";
import { createEgressPolicy, type EgressRules } from "../../../src/agent/net/egress-policy.ts";
import { createStubResolver } from "../../../src/agent/net/stub-resolver.ts";
import { createSandbox, type SandboxOptions, type ScriptSandbox } from "../../../src/agent/sandbox/create-sandbox.ts";
import type { SandboxLevel, ScriptOutcome, ScriptPhase } from "../../../src/agent/sandbox/sandbox.ts";
import { makeScriptRuntime, type ScriptRuntime } from "../../support/script-runtime.ts";

const quiet = { info() {}, warn() {} } as unknown as SandboxOptions["log"];

/** A sandbox over a runtime of its own. */
export class SandboxUnderTest implements AsyncDisposable {
  readonly sandbox: ScriptSandbox;
  readonly runtime: ScriptRuntime;

  private constructor(sandbox: ScriptSandbox, runtime: ScriptRuntime) {
    this.sandbox = sandbox;
    this.runtime = runtime;
  }

  static async start(options: Partial<SandboxOptions> = {}, node = process.execPath): Promise<SandboxUnderTest> {
    const runtime = await makeScriptRuntime("2026.04", node);
    const defaults = { runtimesFolder: runtime.folder, concurrency: 4, wanted: "auto", log: quiet, clock: systemClock } as const;
    return new SandboxUnderTest(await createSandbox({ ...defaults, ...options }), runtime);
  }

  /** Runs setup code, the scripts of one phase, on an empty GET request. */
  run(code: string | readonly string[], more: Partial<ScriptPhase> = {}): Promise<ScriptOutcome> {
    const scripts = [code].flat().map((text, index) => ({ name: index === 0 ? "setup script" : `setup script ${index + 1}`, code: text }));
    return this.sandbox.run({ ...emptyPhase(this.runtime.runtimeId), scripts, ...more });
  }

  /** What the code wrote into the request's body, or how it failed. */
  async said(code: string, more: Partial<ScriptPhase> = {}): Promise<string> {
    const { failure, request } = await this.run(code, more);
    return failure ?? request.body;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sandbox.close();
    await this.runtime[Symbol.asyncDispose]();
  }
}

/** Levels that this machine reaches, and why not the others. */
export async function reachableLevels(): Promise<{ readonly levels: readonly SandboxLevel[]; readonly limitations: readonly string[] }> {
  const levels: SandboxLevel[] = [];
  const limitations: string[] = [];
  await using first = await SandboxUnderTest.start({ highest: 1 });
  const { folder } = first.runtime;
  for (const highest of [1, 2, 3] as const) {
    const options = { runtimesFolder: folder, concurrency: 1, wanted: "auto", log: quiet, clock: systemClock, highest } as const;
    const sandbox = highest === 1 ? first.sandbox : await createSandbox(options);
    if (sandbox.level === highest) levels.push(highest);
    else limitations.push(`level ${highest}: ${sandbox.limitation}`);
    await sandbox.close();
  }
  return { levels, limitations };
}

/** As an agent without settings has it. */
export function openNetwork(rules: Partial<EgressRules> = {}): ScriptPhase["network"] {
  const egress = createEgressPolicy({ allowCidrs: [], denyCidrs: [], mode: "default", ownPorts: [], ...rules });
  return { resolver: createStubResolver(), egress, proxyUrl: null };
}

export function emptyPhase(runtimeId: string): ScriptPhase {
  return {
    runtimeId,
    phase: "setup",
    scripts: [],
    snippets: {},
    env: {},
    request: { method: "GET", url: "http://127.0.0.1/", body: "", headers: {}, queryParameters: {} },
    response: null,
    network: openNetwork(),
    signal: new AbortController().signal,
  };
}
