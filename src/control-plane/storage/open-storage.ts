import { closeSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Kysely } from "kysely";
import { makeFolder } from "#daemon/make-folder.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import { isDistributed } from "./citus/citus-statements.ts";
import { currentDictionary } from "./details/dictionaries.ts";
import { lockFolder } from "./dialects/folder-lock.ts";
import { openPostgres } from "./dialects/postgres.ts";
import { postgresEngine } from "./dialects/postgres-engine.ts";
import { damageSeenBy, sqliteDamage } from "./dialects/sqlite-damage.ts";
import { connectSqlite, sqliteEngine } from "./dialects/sqlite-engine.ts";
import { openSqliteLog } from "./dialects/sqlite-log.ts";
import type { Engine } from "./engine.ts";
import { type Clocks, wallAlone } from "./installation-clock.ts";
import { jointTransactions } from "./joint-transactions.ts";
import { migrations } from "./migrations/index.ts";
import { assertCurrent, migrate } from "./migrations/migrate.ts";
import type { Tables } from "./schema.ts";
import { joinPostgresSignals } from "./signals/postgres-signals.ts";
import { Signals } from "./signals/signals.ts";
import type { ClockStore, Storage } from "./storage.ts";
import { accountStore } from "./stores/accounts.ts";
import { agentErrorStore } from "./stores/agent-errors.ts";
import { agentStore } from "./stores/agents.ts";
import { alertSubscriptionStore } from "./stores/alert-subscriptions.ts";
import { alertDeliveryStore } from "./stores/alerting/alert-deliveries.ts";
import { alertEpisodeStore } from "./stores/alerting/alert-episodes.ts";
import { alertStateStore } from "./stores/alerting/alert-states.ts";
import { silenceStore } from "./stores/alerting/silences.ts";
import { analysisStore } from "./stores/analyses.ts";
import { analyticsStore } from "./stores/analytics/analytics.ts";
import { artifactStore } from "./stores/artifacts.ts";
import { auditStore } from "./stores/audit-log.ts";
import { baselineStore } from "./stores/baselines.ts";
import { causeStore } from "./stores/causes.ts";
import { alertNotificationStore, checkAlertStore } from "./stores/check-alerts.ts";
import { checkGroupStore } from "./stores/check-groups.ts";
import { checkIndexStore } from "./stores/check-index.ts";
import { checkSituationStore } from "./stores/check-situations.ts";
import { checkStandingStore } from "./stores/check-standings.ts";
import { checkTroubleStore } from "./stores/check-troubles.ts";
import { checkStore } from "./stores/checks.ts";
import { codeBundleStore } from "./stores/code-bundles.ts";
import { codeSnapshotStore } from "./stores/code-snapshots.ts";
import { definitionStore } from "./stores/definitions.ts";
import { documentStore } from "./stores/documents.ts";
import { errorGroupStore } from "./stores/error-groups.ts";
import { gapStore } from "./stores/gaps.ts";
import { heartbeatStore } from "./stores/heartbeats.ts";
import { jobStore } from "./stores/jobs.ts";
import { openClock } from "./stores/kept-clock.ts";
import { keyStore } from "./stores/keys.ts";
import { LocationCodes } from "./stores/location-codes.ts";
import { locationFigureStore } from "./stores/location-figures.ts";
import { locationHostStore } from "./stores/location-hosts.ts";
import { ensureDataCenters, locationStore } from "./stores/locations.ts";
import { markStore } from "./stores/marks.ts";
import { pageDomainStore } from "./stores/page-domains.ts";
import { identityStore } from "./stores/people/identities.ts";
import { invitationStore } from "./stores/people/invitations.ts";
import { memberStore } from "./stores/people/members.ts";
import { passwordResetStore } from "./stores/people/password-resets.ts";
import { halfSignInStore, secondFactorStore } from "./stores/people/second-factors.ts";
import { signInStore } from "./stores/people/sign-ins.ts";
import { userStore } from "./stores/people/users.ts";
import { planStore } from "./stores/plans.ts";
import { projectStore } from "./stores/projects.ts";
import { resultStore } from "./stores/results/results.ts";
import { suiteRunStore } from "./stores/results/suite-runs.ts";
import { scheduleStore } from "./stores/schedule.ts";
import { sessionStore } from "./stores/sessions.ts";
import { subscriberStore } from "./stores/subscribers/subscribers.ts";
import { testFailureStore } from "./stores/test-failures.ts";
import { testSessionStore } from "./stores/test-sessions.ts";

export interface StorageOptions {
  /** `postgres://…` chooses PostgreSQL; absent: the file `outpost.db` in `dataDir`. */
  readonly databaseUrl?: string;
  /** Made when it is not there. Used by one process only when the file lives there. */
  readonly dataDir: string;
  readonly nowMs: number;
  /** Of a control plane: waits survive steps of its wall clock. Absent: they end by `nowMs` of each call. */
  readonly clocks?: Clocks | undefined;
  /** PostgreSQL connections of this process, beside the one that listens. */
  readonly maxConnections?: number;
  /** For one short write: when another process has the folder, work beside it. The schema must be current then. */
  readonly besideOthers?: boolean;
  /** Of SQLite. Full, unless told otherwise: what a call has answered survives a power cut. */
  readonly synchronous?: "full" | "normal";
}

/**
 * Opens the store, brings its schema up to date and adds what every Outpost has (the data centers).
 *
 * @throws {AppError} conflict: another process uses the folder, or the database is newer than this program; unavailable; invalid_input
 */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const signals = new Signals();
  const { engine: opened, leave, ...damage } = await openEngine(options, signals);
  const { engine: alone, clock } = await begun(opened, options).catch(async (error: unknown) => {
    await leave();
    await opened.close();
    throw error;
  });
  const { engine, together, afterwards } = jointTransactions(alone);
  signals.afterwards = afterwards;
  const codes = new LocationCodes(engine);
  return {
    together,
    marks: markStore(engine),
    clock,
    accounts: accountStore(engine, signals),
    keys: keyStore(engine),
    audit: auditStore(engine),
    ...peopleStores(engine),
    ...projectStores(engine),
    locations: locationStore(engine),
    locationFigures: locationFigureStore(engine),
    locationHosts: locationHostStore(engine),
    checks: checkStore(engine, signals),
    checkGroups: checkGroupStore(engine, signals),
    checkIndex: checkIndexStore(engine),
    checkStandings: checkStandingStore(engine),
    checkSituations: checkSituationStore(engine),
    checkTroubles: checkTroubleStore(engine),
    definitions: definitionStore(engine),
    documents: documentStore(engine, signals),
    pageDomains: pageDomainStore(engine),
    ...alertingStores(engine, signals),
    subscribers: subscriberStore(engine),
    heartbeats: heartbeatStore(engine, signals),
    schedule: scheduleStore(engine, signals, codes),
    gaps: gapStore(engine, codes),
    jobs: jobStore(engine, signals),
    agents: agentStore(engine),
    agentErrors: agentErrorStore(engine),
    results: resultStore(engine, signals, codes),
    suiteRuns: suiteRunStore(engine, codes),
    artifacts: artifactStore(engine),
    baselines: baselineStore(engine),
    plans: planStore(engine),
    codeBundles: codeBundleStore(engine),
    codeSnapshots: codeSnapshotStore(engine),
    sessions: sessionStore(engine, codes),
    testSessions: testSessionStore(engine, signals, codes),
    analytics: analyticsStore(engine, codes),
    signals,
    ...damage,
    async close() {
      signals.close();
      await leave();
      await engine.close();
    },
  };
}

function alertingStores(engine: Engine, signals: Signals) {
  return {
    errorGroups: errorGroupStore(engine),
    alertSubscriptions: alertSubscriptionStore(engine),
    checkAlerts: checkAlertStore(engine),
    alertStates: alertStateStore(engine, signals),
    alertEpisodes: alertEpisodeStore(engine),
    alertDeliveries: alertDeliveryStore(engine),
    silences: silenceStore(engine),
    alertNotifications: alertNotificationStore(engine),
  };
}

async function begun(engine: Engine, { nowMs, clocks }: StorageOptions): Promise<{ readonly engine: Engine; readonly clock: ClockStore }> {
  await ensureDataCenters(engine.db, nowMs);
  // Partitions of the next days, before the first result asks.
  await engine.prepareDays([0, 1, 2].map((days) => (nowMs + days * 86_400_000) * 1_000));
  if (clocks === undefined) return { engine, clock: { ...wallAlone, keep: async () => 0 } };
  const { clock, store } = await openClock(engine, clocks);
  return { engine: { ...engine, clock }, clock: store };
}

interface Opened extends Pick<Storage, "findDamage" | "isLookedThrough"> {
  readonly engine: Engine;
  /** Ends what listens to other processes. */
  readonly leave: () => Promise<void>;
}

function openEngine(options: StorageOptions, signals: Signals): Promise<Opened> {
  if (options.databaseUrl === undefined) return openSqlite(options);
  if (!/^postgres(ql)?:\/\//.test(options.databaseUrl)) {
    throw new AppError("invalid_input", "DATABASE_URL must start with postgres://, or be absent to use a SQLite file in the data folder");
  }
  return openServer(options.databaseUrl, options, signals);
}

/** So much is read in about a tenth of a second; what is larger is looked through once the control plane works. */
const bytesAtStart = 64 * 1024 * 1024;

/** @throws {AppError} conflict */
async function refuseDamage(db: Kysely<Tables>, path: string): Promise<void> {
  const damage = await damageSeenBy(db, path);
  if (damage !== null) throw new AppError("conflict", damage);
}

async function openSqlite({ dataDir, nowMs, besideOthers = false, synchronous = "full" }: StorageOptions): Promise<Opened> {
  const { lock, path } = await privateFiles(dataDir);
  const { release, alone } = takeFolder(lock, besideOthers);
  const writer = connectSqlite(path, false);
  try {
    const isLookedThrough = statSync(path).size <= bytesAtStart;
    if (isLookedThrough) await refuseDamage(writer.db, path);
    if (!alone) await assertCurrent(writer.db, migrations);
    const dictionary = await prepared(writer.db, "sqlite", nowMs);
    return {
      engine: sqliteEngine({
        writer,
        reader: connectSqlite(path, true),
        log: synchronous === "full" ? openSqliteLog(path) : null,
        dictionary: dictionary.id,
        release,
      }),
      leave: async () => undefined,
      isLookedThrough,
      findDamage: (signal) => sqliteDamage(path, signal),
    };
  } catch (error) {
    await writer.close();
    release();
    throw error;
  }
}

/** The data folder with its files, made for this user alone. @throws {AppError} unavailable when this user cannot write there */
export async function privateFiles(dataDir: string): Promise<{ readonly lock: string; readonly path: string }> {
  try {
    await makeFolder(dataDir);
    return { lock: privateFile(dataDir, "outpost.lock"), path: privateFile(dataDir, "outpost.db") };
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new AppError("unavailable", `${dataDir} cannot be used (${code}); choose a folder that this user can write`, { cause });
  }
}

/** Only this user may read it; SQLite gives its log and its shared memory the same mode. */
function privateFile(folder: string, name: string): string {
  const path = join(folder, name);
  closeSync(openSync(path, "a", 0o600));
  return path;
}

function takeFolder(lock: string, besideOthers: boolean): { readonly release: () => void; readonly alone: boolean } {
  try {
    return { release: lockFolder(lock), alone: true };
  } catch (error) {
    if (besideOthers && hasCode(error, "conflict")) return { release: () => undefined, alone: false };
    throw error;
  }
}

async function openServer(databaseUrl: string, { nowMs, maxConnections = 10 }: StorageOptions, signals: Signals): Promise<Opened> {
  const db = openPostgres(databaseUrl, maxConnections);
  try {
    const dictionary = await prepared(db, "postgres", nowMs);
    return {
      engine: postgresEngine(db, dictionary, (await isDistributed(db)) ? "citus" : "postgres"),
      leave: await joinPostgresSignals(databaseUrl, db, signals),
      isLookedThrough: true,
      findDamage: async () => null,
    };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

async function prepared(db: Kysely<Tables>, engine: "sqlite" | "postgres", nowMs: number): ReturnType<typeof currentDictionary> {
  await migrate(db, engine, migrations, nowMs);
  return currentDictionary(db);
}

function projectStores(engine: Engine) {
  return {
    projects: projectStore(engine),
    testFailures: testFailureStore(engine),
    analyses: analysisStore(engine),
    causes: causeStore(engine),
  };
}

function peopleStores(engine: Engine) {
  return {
    users: userStore(engine),
    members: memberStore(engine),
    invitations: invitationStore(engine),
    passwordResets: passwordResetStore(engine),
    signIns: signInStore(engine),
    secondFactors: secondFactorStore(engine),
    halfSignIns: halfSignInStore(engine),
    identities: identityStore(engine),
  };
}
