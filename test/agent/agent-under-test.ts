import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { type Agent, createAgent } from "../../src/agent/agent.ts";
import type { AgentDeps } from "../../src/agent/agent-parts.ts";
import { readAgentConfig } from "../../src/agent/config.ts";
import { retryTiming } from "../../src/agent/contact/agent-session.ts";
import { systemClock } from "../../src/agent/host/clock.ts";
import { createTrustStore } from "../../src/agent/host/extra-ca.ts";
import { diskFiles } from "../../src/agent/outbox/outbox-files.ts";
import type { CheckRunner, Observation, RunContext } from "../../src/agent/runners/check-runner.ts";
import type { Logger } from "../../src/daemon/logger.ts";
import type { FakeControlPlane } from "../support/fake-control-plane.ts";

/** A folder of its own, gone afterwards. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "outpost-agent-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A real logger whose lines can be looked at. */
export function logOf(): { readonly log: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) });
  return { log, lines };
}

/** Retries at once, so that tests do not wait. */
export const quickTiming = { ...retryTiming, backoffMs: (failures: number) => Math.min(40, 5 * failures), refusedMs: 30, startJitterMs: 0 };

export type Answer = Partial<Observation<"API">> | Error;

/** A runner that answers from a script, or does whatever `run` does. */
export function scriptedRunner(
  run: (context: RunContext, call: number) => Answer | Promise<Answer>,
): CheckRunner<"API"> & { calls: number } {
  const runner = {
    calls: 0,
    async run(settings: Parameters<CheckRunner<"API">["run"]>[0], context: RunContext) {
      runner.calls += 1;
      const startedMs = context.monotonicMs();
      const answer = await run(context, runner.calls);
      if (answer instanceof Error) throw answer;
      return observed(settings.request.url, startedMs, context.monotonicMs(), answer);
    },
  };
  return runner;
}

function observed(url: string, startedMs: number, stoppedMs: number, overrides: Partial<Observation<"API">>): Observation<"API"> {
  const statusCode = overrides.failure ? null : (overrides.statusCode ?? 200);
  return {
    startedMs,
    stoppedMs,
    responseTimeMs: stoppedMs - startedMs,
    statusCode,
    metrics: {},
    failure: null,
    facts: { statusCode, responseTimeMs: stoppedMs - startedMs, headers: {}, text: () => "hello" },
    result: {
      assertions: null,
      request: { method: "GET", url, data: "", headers: { authorization: "Bearer of-the-request" }, params: {} },
      response: null,
      connection: null,
      redirects: [],
      requestError: null,
      jobLog: null,
      jobAssets: null,
      pcapDataUrl: null,
    },
    ...overrides,
  };
}

export interface AgentUnderTest extends AsyncDisposable {
  readonly agent: Agent;
  readonly lines: LogLine[];
  readonly outboxFolder: string;
  probe(path: string): Promise<{ status: number; body: string }>;
}

/** A whole agent on a free port that talks to `fake`; stops at the end of the test. */
export async function startAgent(
  fake: FakeControlPlane,
  options: { readonly env?: Record<string, string>; readonly deps?: Partial<AgentDeps>; readonly runner?: CheckRunner<"API"> } = {},
): Promise<AgentUnderTest> {
  const folder = temporaryFolder();
  const { log, lines } = logOf();
  const env = {
    API_KEY: fake.key,
    API_URL: fake.url.href,
    AGENT_HEALTH_PORT: "0",
    AGENT_HEALTH_HOST: "127.0.0.1",
    DATA_DIR: folder.path,
    SHUTDOWN_GRACE_SECONDS: "3",
    EVIDENCE: "off",
    ...options.env,
  };
  const config = readAgentConfig(env);
  const runner = options.runner ?? scriptedRunner(() => ({}));
  const trustStore = createTrustStore(config.extraCaPath, log, systemClock);
  const agent = createAgent(config, {
    log,
    clock: systemClock,
    random: Math.random,
    timing: quickTiming,
    files: diskFiles,
    runners: { API: runner },
    trustStore,
    heartbeatMs: 30,
    ...options.deps,
  });
  await agent.start();
  return {
    agent,
    lines,
    outboxFolder: config.outbox.folder,
    async probe(path) {
      const reply = await fetch(`http://127.0.0.1:${agent.healthPort()}${path}`);
      return { status: reply.status, body: await reply.text() };
    },
    async [Symbol.asyncDispose]() {
      await agent.stop(500);
      folder[Symbol.dispose]();
    },
  };
}
