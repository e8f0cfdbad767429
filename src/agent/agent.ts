import { hostname } from "node:os";
import { proxyFor } from "#daemon/proxy.ts";
import { Secret } from "#daemon/secret.ts";
import type { Service } from "#daemon/service.ts";
import { pairsOf } from "#daemon/telemetry/settings.ts";
import { noTelemetry } from "#daemon/telemetry/telemetry.ts";
import { tellMetrics } from "#daemon/telemetry/tell-metrics.ts";
import { version } from "#daemon/version.ts";
import { type Access, type AgentDeps, createParts, type Parts } from "./agent-parts.ts";
import type { AgentConfig } from "./config.ts";
import { createContactAlarm } from "./contact/contact-alarm.ts";
import { createControlPlaneClient } from "./contact/control-plane-client.ts";
import { newIdentity } from "./contact/introduction.ts";
import { createKeyReader } from "./contact/location-key.ts";
import { drain } from "./drain.ts";
import { createHealthServer, type HealthServer } from "./health/health-server.ts";
import { agentMetricsText } from "./health/metrics-text.ts";
import { warnOfLimits } from "./host/host-limits.ts";
import type { Undelivered } from "./outbox/result-outbox.ts";
import { createKnownSecrets, type KnownSecrets } from "./runs/known-secrets.ts";
import { noSandbox } from "./sandbox/no-sandbox.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { createAgentSecrets } from "./scripts/agent-secrets.ts";

/** Without an answer for this long the agent is not ready, ms; three heartbeats. */
const contactLimitMs = 30_000;

/** One agent. `stop` is the drain: no new jobs, what runs may end, the rest is handed back, results are delivered or kept. */
export interface Agent {
  readonly name: "agent";
  /**
   * Resolves when the probes answer and the agent is on its way to connect; it need not be reachable for that.
   * @throws {ConfigError} when the port is taken or the key file cannot be read
   */
  start(): Promise<void>;
  /** Resolves within `graceMs`, default SHUTDOWN_GRACE_SECONDS. Calling it again waits for the same end. @returns results that were not delivered */
  stop(graceMs?: number): Promise<Undelivered>;
  /** Resolves when the control plane turned out not to speak our protocol: the process should stop the agent and end. */
  readonly incompatible: Promise<void>;
  /** Reports an error of the agent itself. */
  report(error: unknown): void;
  isReady(): boolean;
  healthPort(): number;
}

export function createAgent(config: AgentConfig, deps: AgentDeps): Agent {
  const identity = newIdentity();
  const { agentId } = identity;
  const { promise: incompatible, resolve: onIncompatible } = Promise.withResolvers<void>();
  const sources = {
    isReady,
    isAlive: () => parts.progress.isMoving(),
    detail: () => ({
      ready: isReady(),
      draining: stopping !== null,
      ...detailOf(agentId, parts),
      ...toldAbilities(deps),
    }),
    metrics: (accept: string) => agentMetricsText(parts.metrics, accept),
  };
  const health: HealthServer = createHealthServer(config.health, sources, deps.log);
  const agentSecrets = createAgentSecrets(config.secrets, deps.log, deps.clock);
  const secrets = knownSecrets(config, agentSecrets);
  const readKey = createKeyReader(config.key, deps.log);
  const access = { secrets, agentSecrets, readKey: (): Secret => secrets.remember(readKey()), onIncompatible };
  const parts = createParts(config, deps, access, identity, () => health.port());
  const contactAlarm = contactAlarmOf(config, deps, access, parts, agentId);
  let stopping: Promise<Undelivered> | null = null;

  function isReady(): boolean {
    const { state, ageMs } = parts.controlPlane.contact();
    const isConnected = (state === "connected" || state === "unreachable") && ageMs !== null && ageMs <= contactLimitMs;
    return stopping === null && isConnected;
  }

  observe(parts, isReady, deps);

  return {
    name: "agent",
    async start() {
      access.readKey();
      await health.start();
      warnOfLimits(config.jobConcurrency, deps.log);
      await parts.outbox.start();
      await parts.artifacts.start();
      parts.evidence.start();
      await contactAlarm?.start();
      for (const part of [parts.uploader, parts.artifactUploader, parts.leases, parts.poller]) part.start();
      deps.log.info({ agentId, version, healthPort: health.port(), controlPlane: config.apiUrl.origin }, "agent started");
    },
    stop(graceMs = config.shutdownGraceMs) {
      stopping ??= drain(parts, graceMs, deps.log).finally(() =>
        Promise.all([health.stop(), contactAlarm?.stop(never), deps.sandbox?.close(), deps.playwright?.close(), deps.agentModel?.close()]),
      );
      return stopping;
    },
    incompatible,
    report(error) {
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      deps.log.error({ error: secrets.mask(stack) }, "unexpected error in the agent");
      parts.errorEvents.report(error);
    },
    isReady,
    healthPort: () => health.port(),
  };
}

const never = new AbortController().signal;

/** What the collector of telemetry and the model are shown among them. */
function knownSecrets(
  { proxy, collector, agentic }: AgentConfig,
  { values }: Pick<ReturnType<typeof createAgentSecrets>, "values">,
): KnownSecrets {
  const secrets = createKnownSecrets(proxy, values);
  const headers = collector?.headers ?? null;
  for (const value of headers === null ? [] : Object.values(pairsOf(headers.reveal()) ?? {})) secrets.remember(new Secret(value));
  if (agentic.model?.key != null) secrets.remember(agentic.model.key);
  return secrets;
}

function contactAlarmOf(
  { contactAlarm: settings, proxy }: AgentConfig,
  { trustStore, clock, log }: AgentDeps,
  { secrets }: Pick<Access, "secrets">,
  { contact, controlPlane }: Parts,
  agentId: string,
): Service | null {
  if (settings === null) return null;
  if (settings.url !== null) secrets.remember(settings.url);
  const about = () => ({ agent: hostname(), agentId, location: controlPlane.lastSession()?.location?.name ?? null });
  const client = (base: URL) => createControlPlaneClient(base, proxyFor(base, proxy), trustStore.extraCas());
  return createContactAlarm({ settings, contact, clock, about, client, log });
}

function observe(parts: Parts, isReady: () => boolean, { telemetry = noTelemetry, agentModel }: AgentDeps): void {
  tellMetrics(telemetry, [parts.metrics.registry], "outpost_agent_telemetry_items_total");
  parts.metrics.observe({
    outbox: () => parts.outbox.state(),
    artifacts: () => parts.artifacts.state(),
    contactAgeMs: () => parts.contact.ageMs(),
    clockAheadMs: () => parts.skew.aheadMs(),
    isReady,
    running: () => parts.queues.running(),
    waiting: () => parts.queues.waiting(),
    besideSeats: () => parts.queues.besideSeats(),
    held: () => parts.leases.held().length,
    agentModel: () => agentModel?.totals() ?? null,
  });
}

/** What runs scripts and prompts here. */
function toldAbilities({ sandbox, playwright, suites, agentModel }: AgentDeps): object {
  return {
    sandbox: toldSandbox(sandbox),
    playwright: toldPlaywright(playwright),
    suites: suites?.state() ?? null,
    agentic: agentModel ? { model: agentModel.chat.name, ...agentModel.totals() } : null,
  };
}

function toldSandbox({ level, limitation, levels, egressWall }: Sandbox = noSandbox): object {
  return { level, limitation, runtimes: Object.fromEntries(levels), egress: level === 0 ? null : egressWall };
}

function toldPlaywright(engine: AgentDeps["playwright"]): object | null {
  if (!engine) return null;
  const { offers, browser, level, egressWall } = engine;
  return { browser, level, egress: egressWall, runtimes: Object.fromEntries(offers), ...engine.state() };
}

function detailOf(agentId: string, parts: Parts): object {
  const ageMs = parts.contact.ageMs();
  const aheadMs = parts.skew.aheadMs();
  return {
    state: parts.contact.state(),
    trouble: parts.contact.trouble(),
    version,
    agentId,
    location: parts.controlPlane.lastSession()?.location ?? null,
    lastContactSeconds: ageMs === null ? null : Math.round(ageMs / 100) / 10,
    clockAheadSeconds: aheadMs === null ? null : Math.round(aheadMs / 1000),
    jobs: { running: parts.queues.running(), waitingForSeat: parts.queues.waiting(), held: parts.leases.held().length },
    outbox: parts.outbox.state(),
    eventLoopDelayMs: Math.round(parts.loopDelay.worstSince(performance.now() - 10_000) * 10) / 10,
    uptimeSeconds: Math.round(process.uptime()),
    memoryBytes: process.memoryUsage.rss(),
  };
}
