import type { Generated, Transaction as KyselyTransaction } from "kysely";
import type { CheckTypeName } from "#contract/primitives.ts";
import type {
  AlertDeliveryTable,
  AlertEpisodeTables,
  AlertNotificationTable,
  AlertOutboxTable,
  AlertStateTable,
  CertificateNoticeTable,
  CheckAlertTable,
  GivenUpAlertTable,
} from "./alert-tables.ts";
import type { DocumentKind } from "./document-store.ts";
import type { PeopleTables } from "./people-tables.ts";
import type { ProjectTables } from "./project-tables.ts";
import type { KeyKind, Role } from "./storage.ts";
import type {
  AgentErrorTable,
  AgentSessionTable,
  BlobTable,
  CodeBundleTable,
  ErrorGroupTable,
  LocationHostTable,
  PageFigureTable,
  ResultAssetTable,
  ScheduleGapTable,
  SessionTable,
  SuiteRunTable,
  TestSessionTable,
} from "./work-tables.ts";

/*
 * The tables as both engines have them; `migrations/` creates them. Instants are epoch milliseconds, flags 0 or 1, JSON is text;
 * columns that end in `_us` count microseconds. What a wait ends by is an instant of the installation's clock, and its comment says so.
 */

export type Trx = KyselyTransaction<Tables>;

export interface Tables extends PeopleTables, ProjectTables, AlertEpisodeTables {
  schema_version: { version: number; applied_at: number };
  marks: { name: string; value: string };
  /** One row, see `installation-clock.ts`. */
  installation_clock: { id: number; wait_ms: number; wall_ms: number };
  accounts: {
    id: Generated<number>;
    uuid: string;
    name: string;
    runtime_id: string;
    settings: string;
    alert_settings: string;
    created_at: number;
    /** It is deleted, and what is its goes. */
    removed_at: number | null;
  };
  keys: {
    id: string;
    hash: string;
    kind: KeyKind;
    account_id: number | null;
    location_id: number | null;
    role: Role;
    masked_key: string;
    created_at: number;
    updated_at: number | null;
    name: string;
    last_used_at: number | null;
    expires_at: number | null;
    networks: string | null;
    scopes: string | null;
  };
  location_hosts: LocationHostTable;
  key_places: { key_id: string; network: string; first_used_at: number };
  audit_log: AuditLogTable;
  agent_errors: AgentErrorTable;
  locations: LocationTable;
  checks: CheckTable;
  check_locations: { check_id: number; location_id: number };
  check_tags: { check_id: number; tag: string };
  group_locations: { group_id: number; location_id: number };
  /** A run of a group that has sessions to start: `running` have started and not ended. Its number is that of its first session. */
  group_runs: { no: number; concurrency: number; running: number };
  /** Sessions whose turn has not come, in the order of `place`. */
  held_sessions: { group_run: number; place: number; session_no: number };
  schedule_gaps: ScheduleGapTable;
  check_statuses: CheckStatusTable;
  heartbeats: HeartbeatTable;
  /** `state`: a position in `heartbeatStates`. */
  heartbeat_events: {
    id: Generated<number>;
    check_id: number;
    at_ms: number;
    state: number;
    source: string | null;
    user_agent: string | null;
  };
  /** Checks that are gone and whose results `prune` still has to delete. */
  removed_checks: { check_id: number };
  sessions: SessionTable;
  jobs: JobTable;
  agent_sessions: AgentSessionTable;
  queue_samples: { location_id: number; at_ms: number; queue_size: number; oldest_seconds: number };
  results: ResultTable;
  result_assets: ResultAssetTable;
  /** See `migrations/0052-page-figures.ts`; m1 to m9 are `pageMetrics`, in thousandths. */
  page_figures: PageFigureTable;
  /** See `stores/results/suite-runs.ts`. `body` last: what is sought by time reads what stands before it. */
  suite_runs: SuiteRunTable;
  blobs: BlobTable;
  code_bundles: CodeBundleTable;
  /** `browser`: its major version. `body` last: lists read what stands before it. */
  screenshot_baselines: { check_id: number; browser: number; name: string; size: number; written_at: number; body: Uint8Array };
  /** See `migrations/0078-plans.ts`. */
  check_plans: { check_id: number; plan_key: string; plan: string; written_at: number };
  blob_parts: { key: string; number: number; size: number; tag: string };
  result_details: { id: number; started_at_us: number; dictionary: number; body: Uint8Array };
  dictionaries: { id: Generated<number>; body: Uint8Array };
  /** By the numbers of `stores/analytics/periods.ts`; see `stores/analytics/rollup-rows.ts`. */
  rollup_hours: RollupTable;
  rollup_days: RollupTable;
  rollup_day_totals: RollupTable;
  /** Hours whose rollups are older than their results. */
  dirty_hours: { id: number; mark: number };
  /** Days whose rollups are older than those of their hours. */
  dirty_days: { id: number; mark: number };
  documents: {
    id: Generated<number>;
    uuid: string;
    account_id: number;
    kind: DocumentKind;
    name: string | null;
    parent_id: number | null;
    definition: string;
    is_open: number;
    created_at: number;
    updated_at: number | null;
  };
  /** `proven_at`: of claims of domains. */
  document_claims: { claim: string; document_id: number; proven_at: number | null };
  error_groups: ErrorGroupTable;
  test_sessions: TestSessionTable;
  /** `check_id` with `check_uuid`, or `group_id`. */
  alert_subscriptions: {
    id: Generated<number>;
    channel_id: number;
    check_id: number | null;
    check_uuid: string | null;
    group_id: number | null;
    activated: number;
  };
  check_alerts: CheckAlertTable;
  alert_states: AlertStateTable;
  alert_outbox: AlertOutboxTable;
  certificate_notices: CertificateNoticeTable;
  alert_notifications: AlertNotificationTable;
  alert_deliveries: AlertDeliveryTable;
  given_up_alerts: GivenUpAlertTable;
  /** `state`: what was told of it, see `stores/alerting/silences.ts`. */
  location_silences: { location_id: number; state: string };
  incident_news: { id: Generated<number>; account_id: number; incident_id: number; update_uuid: string; created_at: number };
  /** Without incident and window it asks for confirmation. `news`: a `MaintenanceNews` of the window as JSON. A claim moves `due_at`. */
  subscriber_mails: {
    id: Generated<number>;
    subscription_id: number;
    incident_id: number | null;
    update_uuid: string | null;
    window_id: number | null;
    news: string | null;
    delivery: string;
    created_at: number;
    due_at: number;
    attempts: number;
  };
  /** SQLite only; PostgreSQL has sequences. */
  counters: { name: string; value: number };
}

/** What the command line did has neither key, user nor request. */
interface AuditLogTable {
  id: Generated<number>;
  account_id: number;
  at_ms: number;
  key_id: string | null;
  user_id: string | null;
  user_name: string | null;
  masked_key: string | null;
  kind: KeyKind | null;
  role: Role | null;
  operation: string;
  method: string | null;
  path: string | null;
  resource_id: string | null;
  fields: string;
  changes: string | null;
  status: number | null;
  request_id: string | null;
  remote_address: string | null;
}

export interface RollupTable {
  id: number;
  cells: Uint8Array;
  rt: Uint8Array;
  m1: Uint8Array;
  m2: Uint8Array;
  m3: Uint8Array;
  m4: Uint8Array;
  m5: Uint8Array;
  m6: Uint8Array;
}

interface LocationTable {
  id: Generated<number>;
  uuid: string;
  account_id: number | null;
  code: string;
  name: string;
  icon: string;
  proxy_url: string | null;
  host_limit: number | null;
  created_at: number;
  updated_at: number | null;
  last_seen_at: number | null;
  /** Old results still name a removed location. */
  removed_at: number | null;
}

interface CheckTable {
  id: Generated<number>;
  uuid: string;
  account_id: number;
  type: CheckTypeName;
  definition: string;
  /** For filters: lower case. */
  search_name: string;
  search_url: string;
  activated: number;
  frequency: number;
  frequency_offset: number;
  run_parallel: number;
  location_ids: string;
  period_ms: number;
  phase_ms: number;
  /** Null for a check that is not activated. */
  next_due: number | null;
  /** These three: `settledMs` and what follows it in `SlotState` of `domain/schedule`. */
  last_fire: number | null;
  relived_slot: number | null;
  relives: Generated<number>;
  round_robin: number;
  /** See `domain/script-runtime`. */
  script_runtime: string | null;
  group_id: number | null;
  /** Of a check in a group: what it says itself (`domain/effective-check`). The columns hold what comes out. */
  own_settings: string | null;
  /** Grows with each change of the definition. */
  revision: Generated<number>;
  /** Muted for a while, until this instant of the installation's clock. */
  muted_until_ms: Generated<number | null>;
  created_at: number;
  updated_at: number | null;
}

/** Beside its check. Both instants are null until the first ping; `due_at` is `started_at` with period and grace. */
/** `token`: the hash of it, see `secrets/ping-tokens.ts`; in rows of earlier releases itself, until it is hashed. */
interface HeartbeatTable {
  check_id: number;
  token: string;
  period_ms: number;
  grace_ms: number;
  started_at: number | null;
  due_at: number | null;
  failing: number;
}

interface CheckStatusTable {
  check_id: number;
  has_failures: number;
  has_errors: number;
  is_degraded: number;
  longest_run_ms: number;
  shortest_run_ms: number;
  last_location: number;
  last_run_at: number;
  last_started_us: number;
  ssl_days_remaining: number | null;
  /** Since the check was made; these four only grow. */
  runs_passed: number;
  runs_degraded: number;
  runs_failed: number;
  runs_ms: number;
  created_at: number;
  updated_at: number;
}

/** A job that waits or runs. It goes when it ends: then its results tell the story. */
export interface JobTable {
  no: number;
  check_id: number;
  location_id: number;
  check_type: string;
  run_at: number;
  due_at: number;
  /** Not leased before; the wait in the queue counts from here. These three: on the installation's clock. */
  not_before: number;
  attempt: number;
  fence: number;
  failed_attempts: number;
  lost_leases: number;
  first_started_at: number | null;
  cancelled: number;
  /** Null while it waits. */
  agent_session: number | null;
  leased_at: number;
  /** The wall clock at the lease, which agents are told; 0 where it is not known. */
  leased_wall_ms: number;
  leased_until: number;
  acknowledged: number;
  test_session: number | null;
  /** Of a run of the schedule: its first attempt begins before, or never. */
  begin_by: number | null;
  /** See `JobStore.tell`. */
  progress: string | null;
}

/** Clustered by (check_id, started_at_us, id); the columns m1 to m6 follow the check type's table of metrics, in thousandths. */
export interface ResultTable {
  check_id: number;
  started_at_us: number;
  id: number;
  type: number;
  location_id: number;
  status: number;
  flags: number;
  rt_us: number;
  dur_us: number;
  m1: number | null;
  m2: number | null;
  m3: number | null;
  m4: number | null;
  m5: number | null;
  m6: number | null;
  run_at: number;
  created_at: number;
  queued_ms: number;
  loop_us: number;
  /** Of the report's whole text, to tell the same report from another one. */
  digest: number;
  error_group: number | null;
  detail_pack: number | null;
}
