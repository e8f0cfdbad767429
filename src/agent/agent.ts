import { randomUUID } from "node:crypto";
import type { AgentSessionRequest } from "#contract/agent-protocol.ts";
import { withDeadline } from "#daemon/deadline.ts";
import type { Logger } from "#daemon/logger.ts";
import type { Secret } from "#daemon/secret.ts";
import { sleep } from "#daemon/sleep.ts";
import { version } from "#daemon/version.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import { type RetryTiming, retryTiming } from "./agent-session.ts";
import { createPrepareCheck } from "./check-settings.ts";
import { type AgentClock, systemClock } from "./clock.ts";
import { type ClockSkew, watchClock } from "./clock-skew.ts";
import type { AgentConfig } from "./config.ts";
import { type Contact, createContact } from "./contact.ts";
import { type ControlPlaneClient, createControlPlaneClient } from "./control-plane-client.ts";
import { createErrorEvents, type ErrorEvents, silentErrorEvents } from "./error-events.ts";
import { createEvidenceCollector, type RunningCollector } from "./evidence/collect-evidence.ts";
import { createTrustStore, type TrustStore } from "./extra-ca.ts";
import { createHealthServer, type HealthServer } from "./health-server.ts";
import { warnOfLimits } from "./host-limits.ts";
import { type Abilities, introduce } from "./introduction.ts";
import { createJobPoller, handBack, type JobPoller } from "./job-poller.ts";
import { createJobQueue, type JobQueue } from "./job-queue.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import { createKeyReader } from "./location-key.ts";
import { type LoopDelay, sampleLoopDelay } from "./loop-delay.ts";
import { proxyFor } from "./management-proxy.ts";
import { type AgentMetrics, createAgentMetrics } from "./metrics.ts";
import { dnsTranscript } from "./net/dns/transcript.ts";
import { createEgressPolicy } from "./net/egress-policy.ts";
import { createOsResolver } from "./net/os-resolver.ts";
import { createStubResolver, type Resolver } from "./net/resolver.ts";
import { diskFiles, type OutboxFiles } from "./outbox-files.ts";
import { createOwnSecrets, type OwnSecrets } from "./own-secrets.ts";
import { createProgress, type Progress } from "./poll-progress.ts";
import { createRenewedClient } from "./renewed-client.ts";
import { type DropReason, ResultOutbox } from "./result-outbox.ts";
import { createResultUploader, type ResultUploader } from "./result-uploader.ts";
import { type ControlPlane, createRetryingClient } from "./retrying-client.ts";
import { createJobRunner, type JobRunner } from "./run-job.ts";
import { createRunners } from "./runners/index.ts";
import { createStartPacer } from "./start-pacer.ts";

/** Without an answer for this long the agent is not ready, ms; three heartbeats. */
const contactLimitMs = 30_000;
const never = new AbortController().signal;

export interface AgentDeps extends Abilities {
  readonly log: Logger;
  readonly clock: AgentClock;
  readonly random: () => number;
  readonly timing: RetryTiming;
  readonly files: OutboxFiles;
  readonly trustStore: TrustStore;
  /** Replaces the session's heartbeat interval. */
  readonly heartbeatMs?: number;
}

/** Everything real. @throws {ConfigError} when the extra CAs cannot be read */
export function systemDeps(config: AgentConfig, log: Logger): AgentDeps {
  const trustStore = createTrustStore(config.extraCaPath, log, systemClock);
  const runners = createRunners(trustStore.trust);
  return { log, clock: systemClock, random: Math.random, timing: retryTiming, files: diskFiles, trustStore, runners };
}

/** One agent. `stop` is the drain: no new jobs, what runs may end, the rest is handed back, results are delivered or kept. */
export interface Agent {
  readonly name: "agent";
  /**
   * Resolves when the probes answer and the agent is on its way to connect; it need not be reachable for that.
   * @throws {ConfigError} when the port is taken or the key file cannot be read
   */
  start(): Promise<void>;
  /** Resolves within `graceMs`, default SHUTDOWN_GRACE_SECONDS. Calling it again waits for the same end. */
  stop(graceMs?: number): Promise<void>;
  /** Resolves when the control plane turned out not to speak our protocol: the process should stop the agent and end. */
  readonly incompatible: Promise<void>;
  /** Reports an error of the agent itself. */
  report(error: unknown): void;
  isReady(): boolean;
  healthPort(): number;
}

interface Parts {
  readonly controlPlane: ControlPlane;
  readonly contact: Contact;
  readonly skew: ClockSkew;
  readonly outbox: ResultOutbox;
  readonly uploader: ResultUploader;
  readonly errorEvents: ErrorEvents;
  readonly leases: LeaseKeeper;
  readonly poller: JobPoller;
  readonly jobs: JobRunner;
  readonly queue: JobQueue;
  readonly loopDelay: LoopDelay;
  readonly metrics: AgentMetrics;
  readonly progress: Progress;
  readonly evidence: RunningCollector;
}

export function createAgent(config: AgentConfig, deps: AgentDeps): Agent {
  const agentId = randomUUID();
  const { promise: incompatible, resolve: onIncompatible } = Promise.withResolvers<void>();
  const sources = {
    isReady,
    isAlive: () => parts.progress.isMoving(),
    detail: () => ({ ready: isReady(), draining: stopping !== null, ...detailOf(agentId, parts) }),
    metrics: async () => ({ type: parts.metrics.registry.contentType, text: await parts.metrics.registry.metrics() }),
  };
  const health: HealthServer = createHealthServer(config.health, sources, deps.log);
  const secrets = createOwnSecrets();
  const readKey = createKeyReader(config.key, deps.log);
  const access = { secrets, readKey: (): Secret => secrets.remember(readKey()), onIncompatible };
  const parts = createParts(config, deps, access, agentId, () => health.port());
  let stopping: Promise<void> | null = null;

  function isReady(): boolean {
    const { state, ageMs } = parts.controlPlane.contact();
    const isConnected = (state === "connected" || state === "unreachable") && ageMs !== null && ageMs <= contactLimitMs;
    return stopping === null && isConnected;
  }

  parts.metrics.observe({
    outbox: () => parts.outbox.state(),
    contactAgeMs: () => parts.contact.ageMs(),
    clockAheadMs: () => parts.skew.aheadMs(),
    isReady,
    running: () => parts.queue.running(),
    waiting: () => parts.queue.waiting(),
    besideSeats: () => parts.queue.besideSeats(),
    held: () => parts.leases.held().length,
  });

  return {
    name: "agent",
    async start() {
      access.readKey();
      await health.start();
      warnOfLimits(config.jobConcurrency, deps.log);
      await parts.outbox.start();
      parts.evidence.start();
      for (const part of [parts.uploader, parts.leases, parts.poller]) part.start();
      deps.log.info({ agentId, version, healthPort: health.port(), controlPlane: config.apiUrl.origin }, "agent started");
    },
    stop(graceMs = config.shutdownGraceMs) {
      stopping ??= drain(parts, graceMs, deps.log).finally(() => health.stop());
      return stopping;
    },
    incompatible,
    report(error) {
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      deps.log.error({ error: secrets.mask(stack) }, "the agent met a bug");
      parts.errorEvents.report(error);
    },
    isReady,
    healthPort: () => health.port(),
  };
}

/** How the agent shows who it is, and whom it tells that it may not. */
interface Access {
  readonly secrets: OwnSecrets;
  readonly readKey: () => Secret;
  readonly onIncompatible: () => void;
}

function createParts(config: AgentConfig, deps: AgentDeps, access: Access, agentId: string, ownPort: () => number): Parts {
  const { log, clock } = deps;
  const metrics = createAgentMetrics();
  const progress = createProgress(clock);
  const loopDelay = sampleLoopDelay(clock);
  const onDrop = (reason: DropReason): void => errorEvents.report(new Error(`the outbox lets results go: ${reason}`));
  const outbox = new ResultOutbox({ ...config.outbox, files: deps.files, clock, log, agentId, onDrop });
  const introduction = (): AgentSessionRequest => introduce(agentId, deps, evidence.capability);
  const link = createControlPlane(config, deps, access, introduction);
  const { controlPlane } = link;
  const errorEvents = config.reportsErrors
    ? createErrorEvents({ controlPlane, clock, log, scrub: (text) => access.secrets.mask(text) })
    : silentErrorEvents;
  const egress = lazily(() => createEgressPolicy({ ...config.targets, ownPorts: [ownPort()] }));
  const evidence = createEvidenceCollector({
    enabled: config.keepsEvidence,
    egress,
    trust: deps.trustStore.trust,
    dnsTranscript,
    clock,
    onSkipped: (reason) => metrics.evidenceSkipped.inc({ reason }),
  });
  const queue = createJobQueue(config.jobConcurrency, createStartPacer(clock));
  const leases = createLeases(deps, { controlPlane, outbox, loopDelay, metrics });
  const jobs = createJobRunner({
    log,
    clock,
    queue,
    leases,
    outbox,
    metrics,
    loopDelay,
    errorEvents,
    evidence,
    prepare: createPrepareCheck(),
    runners: deps.runners,
    resolver: createResolver(config),
    egress,
    userAgent: `Outpost/${version}`,
  });
  const poller = createJobPoller({ controlPlane, queue, clock, log, progress, onJob: (received) => jobs.accept(received) });
  const uploader = createResultUploader({
    outbox,
    controlPlane,
    log,
    onOutcome: (outcome, count) => metrics.reports.inc({ outcome }, count),
  });
  return { ...link, outbox, uploader, errorEvents, leases, poller, jobs, queue, loopDelay, metrics, progress, evidence };
}

function createControlPlane(
  config: AgentConfig,
  { trustStore, clock, random, timing, log }: AgentDeps,
  { secrets, readKey, onIncompatible }: Access,
  introduction: () => AgentSessionRequest,
): Pick<Parts, "controlPlane" | "contact" | "skew"> {
  const { apiUrl } = config;
  const makeClient = (extraCas: readonly string[]): ControlPlaneClient =>
    createControlPlaneClient(apiUrl, proxyFor(apiUrl, config.proxy), extraCas);
  const { client, skew } = watchClock(createRenewedClient(makeClient, trustStore.extraCas), clock, log);
  const contact = createContact(log, clock, onIncompatible, () => skew.text());
  const controlPlane = createRetryingClient({
    client,
    readKey,
    introduction,
    contact,
    clock,
    random,
    timing,
    log,
    scrub: (text) => secrets.mask(text),
    packsBodies: !isLoopback(apiUrl),
  });
  return { controlPlane, contact, skew };
}

function createLeases(
  { log, clock, heartbeatMs }: AgentDeps,
  { controlPlane, outbox, loopDelay, metrics }: Pick<Parts, "controlPlane" | "outbox" | "loopDelay" | "metrics">,
): LeaseKeeper {
  let beatMs = clock.monotonicMs();
  return new LeaseKeeper({
    controlPlane,
    log,
    condition() {
      const { depth, oldestSeconds } = outbox.state();
      const eventLoopDelayMs = loopDelay.worstSince(beatMs);
      beatMs = clock.monotonicMs();
      return { outbox: { depth, oldestSeconds }, eventLoopDelayMs };
    },
    onLost: (count) => metrics.leasesLost.inc(count),
    ...(heartbeatMs === undefined ? {} : { intervalMs: heartbeatMs }),
  });
}

/**
 * The end of an agent. Heartbeats go on until the last job is done; the last fifth of the grace, at most 3 s, is kept
 * for handing back and for the outbox. Nothing here waits longer for a control plane that is away.
 */
async function drain(parts: Parts, graceMs: number, log: Logger): Promise<void> {
  const startMs = performance.now();
  const leftMs = (): number => Math.max(0, graceMs - (performance.now() - startMs));
  const reserveMs = Math.min(3_000, graceMs / 5);
  log.info({ held: parts.leases.held().length }, "agent drains");
  parts.leases.drain();
  parts.evidence.stop(); // a job that looks for evidence must not be handed back before its report is on disk
  const polling = parts.poller.drain();
  const released = release(parts, "unstarted", leftMs() / 2);
  const retrying = flush(parts, Math.min(1_000, leftMs() / 4)).then(() => release(parts, "waiting", leftMs() / 2)); // their ATTEMPTs first
  const waiting = new AbortController();
  await Promise.race([parts.jobs.idle(), sleep(leftMs() - reserveMs, waiting.signal)]);
  waiting.abort();
  const cut = release(parts, "running", leftMs() / 2);
  await parts.jobs.idle();
  await Promise.all([polling, released, retrying, cut]);
  await Promise.all([flush(parts, leftMs() * 0.8), within(leftMs() * 0.5, "error events", (signal) => parts.errorEvents.flush(signal))]);
  parts.loopDelay.stop();
  await parts.uploader.stop();
  await parts.leases.stop();
  await parts.outbox.close();
  await parts.controlPlane.close();
  log.info({ undelivered: parts.outbox.depth }, "agent stopped");
}

async function release(parts: Parts, which: "unstarted" | "waiting" | "running", limitMs: number): Promise<void> {
  const jobs = parts.jobs.giveUp(which);
  await within(limitMs, "release of jobs", (signal) => handBack(parts.controlPlane, jobs, signal));
}

async function flush(parts: Parts, limitMs: number): Promise<void> {
  await within(limitMs, "delivery of results", (signal) => parts.uploader.flush(signal));
}

/** Running out of time is no error while draining: leases end by themselves, and results are on disk. */
async function within(limitMs: number, operation: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  await withDeadline(never, limitMs, operation, work).catch((error: unknown) => {
    if (!hasCode(error, "deadline_exceeded") && !(error instanceof AppError)) throw error;
  });
}

function createResolver(config: AgentConfig): Resolver {
  return config.usesOsResolver ? createOsResolver() : createStubResolver();
}

function isLoopback(url: URL): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
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
    jobs: { running: parts.queue.running(), waitingForSeat: parts.queue.waiting(), held: parts.leases.held().length },
    outbox: parts.outbox.state(),
    eventLoopDelayMs: Math.round(parts.loopDelay.worstSince(performance.now() - 10_000) * 10) / 10,
    uptimeSeconds: Math.round(process.uptime()),
    memoryBytes: process.memoryUsage.rss(),
  };
}
