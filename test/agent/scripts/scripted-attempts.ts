import { randomUUID } from "node:crypto";
import type { AttemptReport, JobMaterial, JobScript, LeasedJob } from "#contract/agent-protocol.ts";
import type { ApiCheckResult } from "#contract/checks/api.ts";
import { systemClock } from "../../../src/agent/host/clock.ts";
import { createPrepareCheck } from "../../../src/agent/judgement/check-settings.ts";
import { createStubResolver } from "../../../src/agent/net/stub-resolver.ts";
import { createTrust } from "../../../src/agent/net/tls.ts";
import type { PlaywrightEngine } from "../../../src/agent/playwright/playwright-engine.ts";
import { createRunners } from "../../../src/agent/runners/index.ts";
import { sampleLoopDelay } from "../../../src/agent/runs/loop-delay.ts";
import { type AttemptDeps, type AttemptOutcome, type AttemptTask, runAttempt } from "../../../src/agent/runs/run-attempt.ts";
import { noSandbox } from "../../../src/agent/sandbox/no-sandbox.ts";
import type { Sandbox } from "../../../src/agent/sandbox/sandbox.ts";
import { createScriptRunners } from "../../../src/agent/script-checks/script-runners.ts";
import { createAgentSecrets, secretSources } from "../../../src/agent/scripts/agent-secrets.ts";
import { fakeJob } from "../../support/fake-control-plane.ts";
import { openPolicy } from "../../support/run-context.ts";
import { logOf } from "../agent-under-test.ts";

export interface Given {
  readonly request: object;
  readonly setup?: string | readonly JobScript[];
  readonly teardown?: string | readonly JobScript[];
  readonly material?: Partial<JobMaterial>;
  readonly payload?: Partial<LeasedJob["payload"]>;
  readonly checkType?: string;
  readonly settings?: object;
  readonly signal?: AbortSignal;
  readonly attempt?: number;
  readonly jobId?: string;
}

export interface Attempts {
  /** What becomes of one attempt. */
  outcome(given: Given): Promise<AttemptOutcome>;
  /** Of one that is reported, what it reports. */
  report(given: Given): Promise<AttemptReport & { readonly detail: ApiCheckResult }>;
  readonly bugs: unknown[];
}

/** Attempts as an agent makes them, with its real runners. @param environment the agent's own */
export function attemptsWith(
  sandbox: Sandbox = noSandbox,
  environment: Readonly<Record<string, string>> = {},
  engine: PlaywrightEngine | null = null,
  tellProgress?: NonNullable<AttemptDeps["tellProgress"]>,
): Attempts {
  const bugs: unknown[] = [];
  const agentSecrets = createAgentSecrets(secretSources(environment, null), logOf().log, systemClock);
  const trust = createTrust([]);
  const deps: AttemptDeps = {
    runners: createRunners(() => trust, createScriptRunners(engine)),
    resolver: createStubResolver(),
    egress: () => openPolicy,
    userAgent: "outpost/test",
    clock: systemClock,
    loopDelay: sampleLoopDelay(systemClock),
    prepare: createPrepareCheck(agentSecrets.values),
    onBug: (error) => void bugs.push(error),
    sandbox,
    agentSecrets,
    random: Math.random,
    uuid: randomUUID,
    holdSecrets: () => ({ [Symbol.dispose]: () => undefined }),
    ...(tellProgress !== undefined && { tellProgress }),
  };
  const outcome = (given: Given): Promise<AttemptOutcome> => runAttempt(taskOf(given), deps);
  return {
    bugs,
    outcome,
    async report(given) {
      const ended = await outcome(given);
      if (ended.is !== "reported") throw new Error(`the attempt is ${ended.is}`);
      return ended.report as AttemptReport & { readonly detail: ApiCheckResult };
    },
  };
}

function taskOf(given: Given): AttemptTask {
  const { request, checkType = "API", settings, attempt = 1 } = given;
  const limits = { degradedResponseTime: 5_000, maxResponseTime: 20_000 };
  const job = fakeJob("", { checkType, settings: { request: { method: "GET", ...request }, ...limits, ...settings } });
  const material: JobMaterial = {
    setup: scriptsOf("setup script", given.setup),
    teardown: scriptsOf("teardown script", given.teardown),
    snippets: {},
    variables: [],
    groupBaseUrl: null,
    certificates: [],
    ...given.material,
  };
  const nowMs = performance.now();
  return {
    job: { ...job, jobId: given.jobId ?? job.jobId, payload: { ...job.payload, runtimeId: "2026.04", material, ...given.payload } },
    attempt,
    receivedMs: nowMs,
    dueMs: nowMs,
    signal: given.signal ?? new AbortController().signal,
  };
}

function scriptsOf(name: string, given: string | readonly JobScript[] = []): JobScript[] {
  return typeof given === "string" ? [{ name, code: given }] : [...given];
}

/** The lines of one phase of a log. */
export function logged({ detail }: { readonly detail: ApiCheckResult }, phase: "setup" | "request" | "teardown"): string[] {
  return (detail.jobLog?.[phase] ?? []).map(({ level, msg }) => `${level} ${msg}`);
}

export function variable(key: string, value: string, isSecret = false): JobMaterial["variables"][number] {
  return { key, value, isSecret };
}
