import type { Logger } from "#daemon/logger.ts";
import { type Service, startAll, stopAll } from "#daemon/service.ts";
import { noTelemetry, type Telemetry } from "#daemon/telemetry/telemetry.ts";
import { version } from "#daemon/version.ts";
import { createAlertTicks } from "./alerting/alert-ticks.ts";
import { createSenders, type SenderService } from "./alerting/channels/create-senders.ts";
import { createNotifier } from "./alerting/notifier.ts";
import { createSilenceWatch } from "./alerting/silence-watch.ts";
import { createAudit } from "./audit/create-audit.ts";
import { openBlobStore } from "./blob-store/open-blob-store.ts";
import type { ControlPlaneConfig } from "./config.ts";
import type { CheckTexts } from "./console/code/check-texts.ts";
import { consolePages } from "./console/console-pages.ts";
import { consoleRoutes } from "./console/console-routes.ts";
import { knowsConsole } from "./console/sign-in/cookies.ts";
import { handlersForAgents } from "./handlers-for-agents.ts";
import { createHeartbeatSweeper } from "./heartbeats/heartbeat-sweeper.ts";
import { createPings } from "./heartbeats/pings.ts";
import { createAuthenticate, createKnownKeys } from "./http/authenticate.ts";
import { addressOf, urlHost } from "./http/bound-address.ts";
import type { FormRoute } from "./http/form-routes.ts";
import { type PageAnswer, type PageRequest, type PageRoute, seeOther } from "./http/page-routes.ts";
import { createRateLimiter } from "./http/rate-limit.ts";
import { createHttpServer, type HttpServer } from "./http/server.ts";
import { readTls } from "./http/tls.ts";
import { Dispatcher } from "./jobs/dispatcher.ts";
import { createQueueSampler } from "./jobs/queue-sampler.ts";
import { createReaper } from "./jobs/reaper.ts";
import { createSessionWaits } from "./jobs/session-waits.ts";
import { loadDataKey } from "./keys/data-key.ts";
import { createSealing, type Sealing } from "./keys/sealing.ts";
import { createLiveResults } from "./live-results/live-results.ts";
import { createLetters } from "./mail/letters.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { type OpenStore, openStore } from "./open-store.ts";
import { apiDocuments } from "./pages/api-documents.ts";
import { scriptRoute } from "./pages/browser-scripts.ts";
import { type DashboardPageDeps, dashboardPages } from "./pages/dashboards/dashboard-pages.ts";
import { frontPage } from "./pages/front-page.ts";
import { guideRoutes } from "./pages/guide/guide-routes.ts";
import { nothingHere } from "./pages/public/nothing-here.ts";
import { createPageDomains } from "./pages/public/page-domain.ts";
import { type StatusPageDeps, statusPages } from "./pages/status/status-pages.ts";
import { type ClockSteps, clockWatch, createClockSteps } from "./probes/clock-watch.ts";
import { metricsPage } from "./probes/metrics-page.ts";
import { probePages } from "./probes/probe-pages.ts";
import { createProbeThread, type ProbeThreadDeps } from "./probes/probe-thread.ts";
import { storeWatch } from "./probes/store-watch.ts";
import { createWatchdog } from "./probes/watchdog.ts";
import { createWorks, type Works } from "./probes/works.ts";
import { createProjects } from "./projects/create-projects.ts";
import { restHandlers } from "./rest/rest-handlers.ts";
import { traceFile } from "./rest/trace-files.ts";
import { createRootCauses } from "./root-causes/create-root-causes.ts";
import { createScheduler } from "./scheduler/scheduler.ts";
import { startProblem } from "./start-problem.ts";
import { type Clocks, earlierOf } from "./storage/installation-clock.ts";
import type { Storage } from "./storage/storage.ts";
import { createSubscriberMailer } from "./subscribers/subscriber-mailer.ts";
import { type SubscriberRouteDeps, subscriberRoutes } from "./subscribers/subscriber-routes.ts";
import { fileViewers } from "./trace-viewer/file-viewers.ts";
import { createAccountSweeper } from "./upkeep/account-sweeper.ts";
import { createArtifactSweeper } from "./upkeep/artifact-sweeper.ts";
import { createBundleSweeper } from "./upkeep/bundle-sweeper.ts";
import { createResultsRetention } from "./upkeep/results-retention.ts";
import { createRollups } from "./upkeep/rollups.ts";
import { createSecretSealer } from "./upkeep/seal-stored.ts";
import { createSnapshotSweeper } from "./upkeep/snapshot-sweeper.ts";
import { createTestFailures } from "./upkeep/test-failures.ts";

export interface ControlPlaneDeps {
  readonly log: Logger;
  /** Tells a check as configuration. */
  readonly checkTexts: CheckTexts;
  /** What a first start makes: only then it says that it is ready. */
  readonly setUp?: (controlPlane: ControlPlane) => Promise<void>;
  /** Epoch milliseconds; tests bring their own clock. */
  readonly nowMs?: () => number;
  /** Milliseconds that no step of `nowMs` moves; a test that brings only `nowMs` lets both go on together. */
  readonly monotonicMs?: () => number;
  /** Absent where no collector is told. */
  readonly telemetry?: Telemetry;
  /** Checks every answer against its schema; for tests. */
  readonly validateResponses?: boolean;
}

interface Opened extends Omit<OpenStore, "pepper"> {
  readonly sealing: Sealing;
}

export interface ControlPlane extends Service, Opened {
  /** Base URL that it listens on, without a slash at its end; null before `start`. */
  address(): string | null;
}

/** How long requests may take to finish when it ends; the chart's grace period is longer. */
export const drainMs = 20_000;

/**
 * Puts the control plane together: the store by the settings, then everything that works on it.
 *
 * @throws {ConfigError} when the data folder, the database or a key cannot be used; a database that does not answer is waited for first
 */
export async function createControlPlane(config: ControlPlaneConfig, deps: ControlPlaneDeps): Promise<ControlPlane> {
  const { nowMs = Date.now, monotonicMs = deps.nowMs ?? (() => performance.now()) } = deps;
  if (config.tls !== null) readTls(config.tls); // before the store is opened: a bad file ends the start
  const opened = await openWithSealing(config, { nowMs, monotonicMs }, deps.log).catch((error: unknown) => {
    throw startProblem(error);
  });
  const { storage, hashOf, sealing } = opened;
  const parts = createParts(config, { ...deps, nowMs, monotonicMs }, opened);
  let stopped: Promise<void> | undefined;
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= storage.close());

  async function stop(deadline: AbortSignal): Promise<void> {
    parts.server.drain();
    await stopAll(parts.services, deadline).finally(close);
  }

  const controlPlane: ControlPlane = {
    name: "control plane",
    storage,
    hashOf,
    sealing,
    async start() {
      try {
        await startAll(parts.services, () => AbortSignal.timeout(5_000));
      } catch (error) {
        await close();
        throw startProblem(error);
      }
      try {
        await deps.setUp?.(controlPlane);
      } catch (error) {
        await controlPlane.stop(AbortSignal.timeout(drainMs)); // else its server would keep the process alive, deaf to signals
        throw startProblem(error);
      }
      parts.ready();
      deps.log.info(
        { address: parts.address(), version, store: config.databaseUrl === null ? "sqlite" : "postgresql" },
        "control plane is ready",
      );
    },
    stop: (deadline) => (stopped ??= stop(deadline)),
    address: () => parts.address(),
  };
  return controlPlane;
}

/** Only the control plane opens secrets of users: commands beside it do without the encryption key. */
async function openWithSealing(config: ControlPlaneConfig, clocks: Clocks, log: Logger): Promise<Opened> {
  const { storage, pepper, hashOf } = await openStore(config, { nowMs: clocks.nowMs(), clocks, log });
  try {
    return { storage, hashOf, sealing: createSealing(await loadDataKey(config, storage.marks, log), pepper.reveal()) };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

interface Parts {
  readonly services: readonly Service[];
  readonly server: HttpServer;
  readonly address: () => string | null;
  readonly ready: () => void;
}

function createParts(
  config: ControlPlaneConfig,
  { log, nowMs, monotonicMs, checkTexts, telemetry = noTelemetry, validateResponses = false }: ControlPlaneDeps & Clocks,
  { storage, hashOf, sealing }: Opened,
): Parts {
  const shared = { ...config, ...storage, log, nowMs, monotonicMs, hashOf, sealing, telemetry };
  const knownKeys = createKnownKeys(shared);
  const dispatcher = new Dispatcher(shared);
  const works = createWorks(shared);
  const metrics = createMetrics({ ...shared, waitingPolls: () => dispatcher.waiting(), works: works.states });
  const waits = createSessionWaits(storage.signals, monotonicMs);
  const scheme = config.tls === null ? "http" : "https";
  const publicUrl = (): string => config.publicUrl ?? address() ?? `${scheme}://${urlHost(config.host)}:${config.port}`;
  const clockSteps = createClockSteps(nowMs, metrics.countClockStep);
  const probes = probePages({ ...storage, works, clockSteps });
  const countRequest = createRateLimiter(config.rateLimits, monotonicMs);
  const channels = createSenders(config.channels, config.proxies, nowMs);
  const blobs = openBlobStore(config, nowMs);
  const { services: auditServices, ...audited } = createAudit({ ...shared, ...metrics, store: storage.audit });
  const base = { ...shared, publicUrl, agentGoneMs: 2 * config.leaseMs, canSendMail: config.channels.smtp !== null };
  const letters = createLetters({ ...shared, mail: channels.mail });
  const domains = createPageDomains(shared);
  const isSecure = (config.publicUrl ?? `${scheme}:`).startsWith("https:");
  const { wake: wakeAnalyses, services: analysts } = createRootCauses({ ...shared, noteModel: audited.audit });
  const resources = restHandlers({ ...base, storage, countRequest, waits, blobs, channels, knownKeys, wakeAnalyses });
  const projects = createProjects({ ...shared, handlers: resources, audit: audited.audit });
  const viewers = fileViewers(base, (file) => traceFile({ ...storage, blobs }, file));
  const pages = consolePages({ ...base, ...viewers, ...audited, liveMetrics: metrics, handlers: resources, checkTexts });
  const people = consoleRoutes({ ...base, ...audited, countRequest, isSecure, letters }, pages);
  const forEverybody = publicPages({ ...base, domains, countRequest });
  const figures = metricsPage({ ...shared, metrics, countRequest });
  const authenticate = createAuthenticate({ ...shared, ...audited, knownKeys, signedIn: people.signedIn });
  const live = createLiveResults({ ...shared, publicUrl, authenticate, countRequest });
  const server = createHttpServer({
    ...shared,
    handlers: [...resources, ...projects.handlers, ...handlersForAgents({ ...base, ...audited, metrics, dispatcher, blobs })],
    pages: [...everywhere([...probes.pages, ...forEverybody.pages]), figures, ...apiDocuments(publicUrl), ...guideRoutes()],
    forms: { ...people.forms, routes: [...people.forms.routes, ...everywhere(forEverybody.forms), ...viewers.routes] },
    missingAt: async (host) => ((await domains.isTaken(host)) ? nothingHere() : undefined),
    live: people.live,
    onSlowViewer: () => metrics.countLostPage("slow"),
    authenticate,
    sockets: [live.route],
    audit: audited.audit,
    countRequest,
    pings: { ping: createPings({ ...shared, countRequest }), pingUrl: config.pingUrl },
    observe: metrics.observeRequest,
    validateResponses,
    onDrain: probes.drain,
  });
  const address = (): string | null => addressOf(server);
  const workers = createWorkers({ ...base, ...channels, works, clockSteps, metrics, blobs });
  // Stopped last first: nothing new is scheduled, requests end, and what answers them goes after them.
  const lasting = [...probeThreads({ ...shared, probes: probes.pages, metrics: figures }), ...auditServices, waits, channels, letters];
  return {
    server,
    address,
    ready: probes.ready,
    services: [...lasting, dispatcher, projects.deployments, ...people.services, live.service, server, ...workers, ...analysts],
  };
}

/** Stopped last: it tells that the control plane drains. */
function probeThreads({ probePort, ...deps }: Omit<ProbeThreadDeps, "probePort"> & Pick<ControlPlaneConfig, "probePort">) {
  return probePort === null ? [] : [createProbeThread({ ...deps, probePort })];
}

interface WorkerDeps
  extends Storage,
    Omit<ControlPlaneConfig, "publicUrl">,
    Required<Pick<ControlPlaneDeps, "log" | "nowMs" | "telemetry">>,
    Pick<SenderService, "senders" | "mail" | "ofServices"> {
  readonly sealing: Sealing;
  readonly works: Works;
  readonly clockSteps: ClockSteps;
  readonly monotonicMs: () => number;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly blobs: ReturnType<typeof openBlobStore>;
  readonly hashOf: (text: string) => string;
  readonly publicUrl: () => string;
}

/** What goes on without a request. */
function createWorkers({ metrics, blobs, ...shared }: WorkerDeps): readonly Service[] {
  // A clock that was set forward must not delete what is young.
  const cautious = { ...shared, nowMs: () => earlierOf(shared.clock, shared.nowMs()) };
  return [
    ...storeWatch(shared),
    clockWatch({ ...shared, steps: shared.clockSteps }),
    ...(shared.watchdog === null
      ? []
      : [createWatchdog({ ...shared, ...shared.watchdog, http: shared.ofServices, count: metrics.countWatchdog })]),
    createSecretSealer(shared),
    createReaper({ ...shared, count: metrics.countReaped }),
    createHeartbeatSweeper(shared),
    createAlertTicks(shared),
    createNotifier({ ...shared, metrics, budget: shared.channels.budget, report: shared.works.reportOf("delivering") }),
    createSilenceWatch(shared),
    createSubscriberMailer(shared),
    createQueueSampler(shared),
    createResultsRetention({ ...cautious, keepMs: shared.resultsKeepMs }),
    ...(blobs === null ? [] : [createArtifactSweeper({ ...cautious, blobs }), createBundleSweeper({ ...cautious, blobs })]),
    createSnapshotSweeper(cautious),
    createAccountSweeper(cautious),
    createTestFailures(cautious),
    createRollups({ ...shared, keepMs: shared.rollupsKeepMs }),
    createScheduler({ ...shared, ...metrics, monotonicMs: () => performance.now(), report: shared.works.reportOf("scheduling") }),
  ];
}

/** What is also at names that lead to a page of their own. */
function everywhere<R extends PageRoute | FormRoute>(routes: readonly R[]): readonly R[] {
  return routes.map((route) => ({ ...route, isEverywhere: true }));
}

type PublicPageDeps = DashboardPageDeps & SubscriberRouteDeps & Omit<StatusPageDeps, "canSubscribe">;

/** Pages for everybody, and `/`: on a page's own domain that page, elsewhere the console or the way to it. */
function publicPages(deps: PublicPageDeps): {
  readonly pages: readonly PageRoute[];
  readonly forms: readonly FormRoute[];
} {
  const [dashboards, status] = [dashboardPages(deps), statusPages({ ...deps, canSubscribe: deps.canSendMail })];
  const consoleOrFront = (cookies: PageRequest["cookies"]): PageAnswer => (knowsConsole(cookies) ? seeOther("/checks") : frontPage());
  const front = async (request: PageRequest): Promise<PageAnswer> =>
    (await dashboards.ofDomain(request)) ?? (await status.ofDomain(request)) ?? consoleOrFront(request.cookies);
  return {
    pages: [{ path: "/", answer: front }, ...dashboards.routes, ...status.routes, scriptRoute()],
    forms: [...dashboards.forms, ...subscriberRoutes(deps)],
  };
}
