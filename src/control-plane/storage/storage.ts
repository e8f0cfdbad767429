import type { AgentErrorStore } from "./agent-error-store.ts";
import type { AlertDeliveryStore } from "./alert-delivery-store.ts";
import type { AlertEpisodeStore } from "./alert-episode-store.ts";
import type { AlertNotificationStore, AlertStateStore, AlertSubscriptionStore, CheckAlertStore } from "./alerting-stores.ts";
import type { AnalysisStore } from "./analysis-store.ts";
import type { AnalyticsStore } from "./analytics-store.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import type { AuditStore } from "./audit-store.ts";
import type { BaselineStore } from "./baseline-store.ts";
import type { CauseStore } from "./cause-store.ts";
import type { CheckGroupStore } from "./check-group-store.ts";
import type { CheckIndexStore } from "./check-index-store.ts";
import type { CheckSituationStore } from "./check-situation-store.ts";
import type { CheckStandingStore } from "./check-standing-store.ts";
import type { CheckTroubleStore } from "./check-trouble-store.ts";
import type { CodeBundleStore } from "./code-bundle-store.ts";
import type { CodeSnapshotStore } from "./code-snapshot-store.ts";
import type { AccountStore, CheckStore, LocationStore, MarkStore } from "./configuration-stores.ts";
import type { DefinitionStore } from "./definition-store.ts";
import type { DocumentStore } from "./document-store.ts";
import type { ErrorGroupStore } from "./error-group-store.ts";
import type { GapStore } from "./gap-store.ts";
import type { HeartbeatStore } from "./heartbeat-store.ts";
import type { KeyStore } from "./key-store.ts";
import type { LocationFigureStore } from "./location-figure-store.ts";
import type { LocationHostStore } from "./location-host-store.ts";
import type { PageDomainStore } from "./page-domain-store.ts";
import type {
  HalfSignInStore,
  IdentityStore,
  InvitationStore,
  MemberStore,
  PasswordResetStore,
  SecondFactorStore,
  SignInStore,
  UserStore,
} from "./people-store.ts";
import type { PlanStore } from "./plan-store.ts";
import type { ProjectStore } from "./project-store.ts";
import type { SilenceStore } from "./silence-store.ts";
import type { SubscriberStore } from "./subscriber-store.ts";
import type { SuiteRunStore } from "./suite-run-store.ts";
import type { TestFailureStore } from "./test-failure-store.ts";
import type { TestSessionStore } from "./test-session-store.ts";
import type { AgentStore, JobStore, ResultStore, ScheduleStore, SessionStore } from "./work-stores.ts";

export type * from "./agent-error-store.ts";
export type * from "./alert-delivery-store.ts";
export type * from "./alert-episode-store.ts";
export type * from "./alerting-stores.ts";
export type * from "./analysis-store.ts";
export type * from "./analytics-store.ts";
export type * from "./artifact-store.ts";
export type * from "./audit-store.ts";
export type * from "./baseline-store.ts";
export type * from "./cause-store.ts";
export type * from "./check-group-store.ts";
export type * from "./check-index-store.ts";
export type * from "./check-situation-store.ts";
export type * from "./check-standing-store.ts";
export type * from "./check-trouble-store.ts";
export type * from "./code-bundle-store.ts";
export type * from "./code-snapshot-store.ts";
export type * from "./configuration-stores.ts";
export type * from "./definition-store.ts";
export type * from "./document-store.ts";
export type * from "./error-group-store.ts";
export type * from "./gap-store.ts";
export type * from "./heartbeat-store.ts";
export type * from "./key-store.ts";
export type * from "./location-figure-store.ts";
export type * from "./location-host-store.ts";
export type * from "./page.ts";
export type * from "./page-domain-store.ts";
export type * from "./people-store.ts";
export type * from "./plan-store.ts";
export type * from "./project-store.ts";
export type * from "./silence-store.ts";
export type * from "./subscriber-store.ts";
export type * from "./subscriptions-wanted.ts";
export type * from "./suite-run-store.ts";
export type * from "./test-failure-store.ts";
export type * from "./test-session-definition.ts";
export type * from "./test-session-store.ts";
export type * from "./work-stores.ts";

/**
 * What the control plane keeps, on whichever engine. Everything above this file talks to these interfaces;
 * only `control-plane.ts` chooses the engine. Instants are epoch milliseconds, ids inside are integers, and the
 * account is part of every look-up that a user can cause: a foreign object is as absent as a missing one.
 */
export interface Storage {
  readonly marks: MarkStore;
  readonly clock: ClockStore;
  readonly accounts: AccountStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly users: UserStore;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly passwordResets: PasswordResetStore;
  readonly signIns: SignInStore;
  readonly secondFactors: SecondFactorStore;
  readonly halfSignIns: HalfSignInStore;
  readonly identities: IdentityStore;
  readonly locations: LocationStore;
  readonly locationFigures: LocationFigureStore;
  readonly locationHosts: LocationHostStore;
  readonly checks: CheckStore;
  readonly checkGroups: CheckGroupStore;
  readonly checkIndex: CheckIndexStore;
  readonly checkStandings: CheckStandingStore;
  readonly checkSituations: CheckSituationStore;
  readonly checkTroubles: CheckTroubleStore;
  readonly definitions: DefinitionStore;
  readonly documents: DocumentStore;
  readonly pageDomains: PageDomainStore;
  readonly projects: ProjectStore;
  readonly errorGroups: ErrorGroupStore;
  readonly alertSubscriptions: AlertSubscriptionStore;
  readonly checkAlerts: CheckAlertStore;
  readonly alertStates: AlertStateStore;
  readonly alertEpisodes: AlertEpisodeStore;
  readonly alertDeliveries: AlertDeliveryStore;
  readonly silences: SilenceStore;
  readonly subscribers: SubscriberStore;
  readonly alertNotifications: AlertNotificationStore;
  readonly heartbeats: HeartbeatStore;
  readonly schedule: ScheduleStore;
  readonly gaps: GapStore;
  readonly jobs: JobStore;
  readonly agents: AgentStore;
  readonly agentErrors: AgentErrorStore;
  readonly results: ResultStore;
  readonly suiteRuns: SuiteRunStore;
  readonly artifacts: ArtifactStore;
  readonly baselines: BaselineStore;
  readonly plans: PlanStore;
  readonly codeBundles: CodeBundleStore;
  readonly codeSnapshots: CodeSnapshotStore;
  readonly sessions: SessionStore;
  readonly testSessions: TestSessionStore;
  readonly testFailures: TestFailureStore;
  readonly analyses: AnalysisStore;
  readonly causes: CauseStore;
  readonly analytics: AnalyticsStore;
  /**
   * All that stores do within `work` is stored, or nothing of it; nobody is told of it before. May run `work` again, so it has no effects
   * elsewhere. Its calls come one after another.
   */
  together<T>(work: () => Promise<T>): Promise<T>;
  /** Tells other parts of this process, and with PostgreSQL other processes, that something waits for them. */
  readonly signals: StorageSignals;
  /**
   * Reads all of a SQLite database, beside other work.
   *
   * @returns what is damaged, and what to do; null where nothing is, once `signal` says to stop, and for PostgreSQL
   */
  findDamage(signal: AbortSignal): Promise<string | null>;
  /** It was looked through for damage when it was opened, or looks after itself. */
  readonly isLookedThrough: boolean;
  close(): Promise<void>;
}

/** The clock that waits end by, shared by all processes. */
export interface ClockStore {
  /** Keeps it for whoever goes on after this process, and takes that of another process which is further. @returns by how much the wall clock stepped since the last call, ms; 0: it did not */
  keep(): Promise<number>;
  /** This moment, which the wall clock calls `nowMs`. */
  waitMs(nowMs: number): number;
}

export interface StorageSignals {
  /** Jobs became due at these locations. Returns the unsubscriber. */
  onJobs(listener: (locationIds: readonly number[]) => void): () => void;
  /** Sessions ended. */
  onSessionsEnded(listener: (sessionNos: readonly number[]) => void): () => void;
  /** Variables, snippets or client certificates of these accounts were written. */
  onMaterialChanged(listener: (accountIds: readonly number[]) => void): () => void;
  /** A check was written, so the next due time may be earlier. */
  onScheduleChanged(listener: () => void): () => void;
  /** Alerts were stored, and channels are to be told of them. */
  onAlerts(listener: () => void): () => void;
}
