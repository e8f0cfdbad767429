import { randomUUID } from "node:crypto";
import type { AgentSessionRequest, ReportAnswer } from "#contract/agent-protocol.ts";
import type { Logger } from "#daemon/logger.ts";
import { proxyFor } from "#daemon/proxy.ts";
import type { Secret } from "#daemon/secret.ts";
import { noTelemetry, type Telemetry } from "#daemon/telemetry/telemetry.ts";
import { version } from "#daemon/version.ts";
import type { AgentModel } from "./agentic/agent-model.ts";
import { ArtifactSpool } from "./artifacts/artifact-spool.ts";
import { type ArtifactUploader, createArtifactUploader } from "./artifacts/artifact-uploader.ts";
import type { AgentConfig } from "./config.ts";
import { type RetryTiming, retryTiming } from "./contact/agent-session.ts";
import { type ClockSkew, watchClock } from "./contact/clock-skew.ts";
import { type Contact, createContact } from "./contact/contact.ts";
import { type ControlPlaneClient, createControlPlaneClient } from "./contact/control-plane-client.ts";
import { createErrorEvents, type ErrorEvents, silentErrorEvents } from "./contact/error-events.ts";
import { filesOfJobs } from "./contact/files-of-jobs.ts";
import { type Abilities, type AgentIdentity, introduce } from "./contact/introduction.ts";
import { createJobPoller, type JobPoller } from "./contact/job-poller.ts";
import { LeaseKeeper } from "./contact/lease-keeper.ts";
import { allMoving, createProgress, type Progress } from "./contact/poll-progress.ts";
import { createProgressTeller } from "./contact/progress-teller.ts";
import { createRenewedClient } from "./contact/renewed-client.ts";
import { createResultUploader, type ResultUploader } from "./contact/result-uploader.ts";
import { type ControlPlane, createRetryingClient } from "./contact/retrying-client.ts";
import { uploadSpans } from "./contact/upload-spans.ts";
import { EgressProxy } from "./egress/egress-proxy.ts";
import { createEvidenceCollector, type RunningCollector } from "./evidence/collect-evidence.ts";
import { type AgentMetrics, createAgentMetrics } from "./health/metrics.ts";
import { type AgentClock, systemClock } from "./host/clock.ts";
import { createTrustStore, type TrustStore } from "./host/extra-ca.ts";
import { runsThatFit } from "./host/host-limits.ts";
import { memoryBytes } from "./host/script-seats.ts";
import { createPrepareCheck } from "./judgement/check-settings.ts";
import { BodyMemory, bodyBytesFor } from "./net/body-memory.ts";
import { dnsTranscript } from "./net/dns/transcript.ts";
import { createEgressPolicy, type EgressPolicy } from "./net/egress-policy.ts";
import { createOsResolver } from "./net/os-resolver.ts";
import { type Resolver } from "./net/resolver.ts";
import { createStubResolver } from "./net/stub-resolver.ts";
import { diskFiles, type OutboxFiles } from "./outbox/outbox-files.ts";
import { type DropReason, ResultOutbox } from "./outbox/result-outbox.ts";
import type { PlaywrightEngine } from "./playwright/playwright-engine.ts";
import { createRunners } from "./runners/index.ts";
import type { KnownSecrets } from "./runs/known-secrets.ts";
import { type LoopDelay, sampleLoopDelay } from "./runs/loop-delay.ts";
import { createJobRunner, type JobRunner, type JobRunnerDeps } from "./runs/run-job.ts";
import { createRunTracer } from "./runs/run-tracer.ts";
import { jobsOf, longestRunOf, seatsOf } from "./runs/seat-jobs.ts";
import { createSeatQueues, type SeatQueues } from "./runs/seat-queues.ts";
import { createStartPacer } from "./runs/start-pacer.ts";
import { noSandbox } from "./sandbox/no-sandbox.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { createScriptRunners } from "./script-checks/script-runners.ts";
import type { AgentSecrets } from "./scripts/agent-secrets.ts";
import { scrubFile } from "./scrub/scrub-file.ts";
import type { SuiteEngine } from "./suites/suite-engine.ts";

export interface AgentDeps extends Abilities {
  readonly log: Logger;
  readonly clock: AgentClock;
  readonly random: () => number;
  readonly timing: RetryTiming;
  readonly files: OutboxFiles;
  readonly trustStore: TrustStore;
  /** What runs scripts of browser and multistep checks. */
  readonly playwright?: PlaywrightEngine | null;
  /** What runs suites. */
  readonly suites?: SuiteEngine | null;
  /** Nobody is told anything without it. */
  readonly telemetry?: Telemetry;
  /** What leads checks that are a prompt. */
  readonly agentModel?: AgentModel | null;
  /** Without one, scripts of checks are refused. */
  readonly sandbox?: Sandbox;
  /** Replaces the session's heartbeat interval. */
  readonly heartbeatMs?: number;
}

/** Everything real. @throws {ConfigError} when the extra CAs cannot be read */
export function systemDeps(config: AgentConfig, log: Logger): AgentDeps {
  const trustStore = createTrustStore(config.extraCaPath, log, systemClock);
  const runners = createRunners(trustStore.trust, createScriptRunners(null));
  return { log, clock: systemClock, random: Math.random, timing: retryTiming, files: diskFiles, trustStore, runners };
}

/** The same agent with what runs scripts of browser and multistep checks, suites and prompts; null where it has nothing of the kind. */
export function withPlaywright(
  deps: AgentDeps,
  playwright: PlaywrightEngine | null,
  suites: SuiteEngine | null = null,
  agentModel: AgentModel | null = null,
): AgentDeps {
  return { ...deps, playwright, suites, agentModel, runners: { ...deps.runners, ...createScriptRunners(playwright, suites, agentModel) } };
}

/** What an agent is made of. */
export interface Parts {
  readonly controlPlane: ControlPlane;
  readonly contact: Contact;
  readonly skew: ClockSkew;
  readonly outbox: ResultOutbox;
  readonly uploader: ResultUploader;
  readonly artifacts: ArtifactSpool;
  readonly artifactUploader: ArtifactUploader;
  readonly errorEvents: ErrorEvents;
  readonly leases: LeaseKeeper;
  readonly poller: JobPoller;
  readonly jobs: JobRunner;
  readonly queues: SeatQueues;
  readonly loopDelay: LoopDelay;
  readonly metrics: AgentMetrics;
  readonly progress: Pick<Progress, "isMoving">;
  readonly evidence: RunningCollector;
}

/** How the agent shows who it is, and whom it tells that it may not. */
export interface Access {
  readonly secrets: KnownSecrets;
  readonly agentSecrets: AgentSecrets;
  readonly readKey: () => Secret;
  readonly onIncompatible: () => void;
}

/** Makes them all, and starts none. @param ownPort where the health server listens, once it does */
export function createParts(config: AgentConfig, deps: AgentDeps, access: Access, identity: AgentIdentity, ownPort: () => number): Parts {
  const { log, clock, telemetry = noTelemetry } = deps;
  const { agentId } = identity;
  const metrics = createAgentMetrics();
  const loopDelay = sampleLoopDelay(clock);
  const onDrop = (reason: DropReason): void => errorEvents.report(new Error(`the outbox lets results go: ${reason}`));
  const outbox = new ResultOutbox({ ...config.outbox, files: deps.files, clock, log, agentId, onDrop });
  const introduction = (): AgentSessionRequest => introduce(identity, deps, evidence.capability);
  const link = createControlPlane(config, deps, access, introduction);
  const { controlPlane } = link;
  const errorEvents = config.reportsErrors
    ? createErrorEvents({ controlPlane, clock, log, scrub: (text) => access.secrets.mask(text) })
    : silentErrorEvents;
  const egress = lazily(() => createEgressPolicy({ ...config.targets, ownPorts: [ownPort()], isOwnPort: EgressProxy.isOpenAt }));
  const evidence = createEvidence(config, deps, egress, metrics);
  const { artifacts, artifactUploader } = createArtifacts(config, deps, { agentId, outbox, controlPlane, metrics });
  const queues = createSeatQueues(seatsOf(config, deps), createStartPacer(clock), runsThatFit());
  const leases = createLeases(deps, { ...link, outbox, loopDelay, metrics });
  const jobs = createJobRunner({
    ...deps,
    queues,
    leases,
    outbox,
    artifacts,
    metrics,
    loopDelay,
    errorEvents,
    evidence,
    tracer: createRunTracer(telemetry.traces, config.tracedHosts),
    prepare: createPrepareCheck(access.agentSecrets.values),
    tellProgress: createProgressTeller(controlPlane),
    ...filesOfJobs(controlPlane),
    sandbox: deps.sandbox ?? noSandbox,
    agentSecrets: access.agentSecrets,
    uuid: randomUUID,
    holdSecrets: (secrets) => access.secrets.hold(secrets),
    ...forRequests(config),
    egress,
  });
  const { poller, progress } = createPollers(deps, queues, { controlPlane, jobs });
  const onOutcome = (outcome: ReportAnswer["outcome"], count: number): void => metrics.reports.inc({ outcome }, count);
  const uploader = createResultUploader({ outbox, controlPlane, log, onOutcome, ...uploadSpans(telemetry.traces, clock, link.skew) });
  return {
    ...link,
    outbox,
    uploader,
    artifacts,
    artifactUploader,
    errorEvents,
    leases,
    poller,
    jobs,
    queues,
    loopDelay,
    metrics,
    progress,
    evidence,
  };
}

/** What requests of checks share. */
function forRequests(config: AgentConfig): Pick<JobRunnerDeps, "resolver" | "userAgent" | "bodyMemory"> {
  return { resolver: createResolver(config), userAgent: `Outpost/${version}`, bodyMemory: new BodyMemory(bodyBytesFor(memoryBytes())) };
}

/** One for each kind of seats, as each asks for what it has seats for. */
function createPollers(
  deps: AgentDeps,
  { kinds }: SeatQueues,
  { controlPlane, jobs }: Pick<Parts, "controlPlane" | "jobs">,
): { readonly poller: JobPoller; readonly progress: Pick<Progress, "isMoving"> } {
  const pollers = [...kinds].map(([kind, queue]) => {
    const { clock, log } = deps;
    const progress = createProgress(clock);
    const only = kinds.size === 1 ? undefined : jobsOf(kind, deps);
    return {
      progress,
      ...createJobPoller({
        controlPlane,
        queue,
        clock,
        log,
        progress,
        only,
        longestRunMs: longestRunOf(kind),
        onJob: (received) => jobs.accept(received),
      }),
    };
  });
  const poller: JobPoller = {
    start: () => pollers.forEach((one) => one.start()),
    drain: async () => void (await Promise.all(pollers.map((one) => one.drain()))),
  };
  return { poller, progress: { isMoving: () => allMoving(pollers.map(({ progress }) => progress)) } };
}

function createEvidence(
  { keepsEvidence }: AgentConfig,
  { trustStore, clock }: AgentDeps,
  egress: () => EgressPolicy,
  metrics: AgentMetrics,
): RunningCollector {
  return createEvidenceCollector({
    enabled: keepsEvidence,
    egress,
    trust: trustStore.trust,
    dnsTranscript,
    clock,
    onSkipped: (reason) => metrics.evidenceSkipped.inc({ reason }),
  });
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

function createArtifacts(
  { outbox: { folder, limitMs }, artifactLimitBytes }: AgentConfig,
  { log, clock, files }: AgentDeps,
  { agentId, outbox, controlPlane, metrics }: Pick<Parts, "outbox" | "controlPlane" | "metrics"> & { readonly agentId: string },
): Pick<Parts, "artifacts" | "artifactUploader"> {
  const artifacts = new ArtifactSpool({
    files,
    clock,
    log,
    folder,
    agentId,
    limitBytes: artifactLimitBytes,
    limitMs,
    outbox,
    scrub: scrubFile,
    onDrop: (outcome) => metrics.artifacts.inc({ outcome }),
  });
  const artifactUploader = createArtifactUploader({
    spool: artifacts,
    outbox,
    controlPlane,
    clock,
    log,
    limitMs,
    onUploaded(bytes) {
      metrics.artifacts.inc({ outcome: "uploaded" });
      metrics.artifactBytes.inc(bytes);
    },
  });
  return { artifacts, artifactUploader };
}

function createLeases(
  { log, clock, heartbeatMs }: AgentDeps,
  { controlPlane, skew, outbox, loopDelay, metrics }: Pick<Parts, "controlPlane" | "skew" | "outbox" | "loopDelay" | "metrics">,
): LeaseKeeper {
  let beatMs = clock.monotonicMs();
  return new LeaseKeeper({
    controlPlane,
    log,
    condition() {
      const { depth, oldestSeconds } = outbox.state();
      const eventLoopDelayMs = loopDelay.worstSince(beatMs);
      beatMs = clock.monotonicMs();
      return { outbox: { depth, oldestSeconds }, eventLoopDelayMs, clockAheadMs: skew.aheadMs() };
    },
    onLost: (count) => metrics.leasesLost.inc(count),
    ...(heartbeatMs === undefined ? {} : { intervalMs: heartbeatMs }),
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
