import type { Generated, Transaction as KyselyTransaction } from "kysely";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { DocumentKind } from "./document-store.ts";
import type { AssetType, KeyKind, Role } from "./storage.ts";

/*
 * The tables as both engines have them; `migrations/` creates them. Instants are epoch milliseconds, flags 0 or 1, JSON is text;
 * columns that end in `_us` count microseconds.
 */

export type Trx = KyselyTransaction<Tables>;

export interface Tables {
  schema_version: { version: number; applied_at: number };
  marks: { name: string; value: string };
  accounts: {
    id: Generated<number>;
    uuid: string;
    name: string;
    runtime_id: string;
    settings: string;
    alert_settings: string;
    created_at: number;
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
  };
  locations: LocationTable;
  checks: CheckTable;
  check_locations: { check_id: number; location_id: number };
  check_tags: { check_id: number; tag: string };
  check_statuses: CheckStatusTable;
  /** Checks that are gone and whose results `prune` still has to delete. */
  removed_checks: { check_id: number };
  sessions: SessionTable;
  jobs: JobTable;
  agent_sessions: AgentSessionTable;
  queue_samples: { location_id: number; at_ms: number; queue_size: number; oldest_seconds: number };
  results: ResultTable;
  /** `body` last: lists read what stands before it. */
  result_assets: { id: number; started_at_us: number; name: string; type: AssetType; content_type: string; body: Uint8Array };
  result_details: { id: number; started_at_us: number; dictionary: number; body: Uint8Array };
  dictionaries: { id: Generated<number>; body: Uint8Array };
  /** Hours of a check whose rollups are older than its results. */
  rollup_dirty: { check_id: number; hour: number };
  documents: {
    id: Generated<number>;
    uuid: string;
    account_id: number;
    kind: DocumentKind;
    name: string | null;
    parent_id: number | null;
    definition: string;
    created_at: number;
    updated_at: number | null;
  };
  document_claims: { claim: string; document_id: number };
  /** SQLite only; PostgreSQL has sequences. */
  counters: { name: string; value: number };
}

interface LocationTable {
  id: Generated<number>;
  uuid: string;
  account_id: number | null;
  code: string;
  name: string;
  icon: string;
  proxy_url: string | null;
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
  last_fire: number | null;
  round_robin: number;
  /** See `domain/script-runtime`. */
  script_runtime: string | null;
  created_at: number;
  updated_at: number | null;
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
  created_at: number;
  updated_at: number;
}

/** `no` times 256 and a slot is the number of a job, see `numbers.ts`. */
interface SessionTable {
  no: number;
  account_id: number;
  check_id: number;
  run_at: number;
  source: string;
  location_ids: string;
  status: string;
  locations: number;
  passed: number;
  degraded: number;
  failed: number;
  missed: number;
  cancelled: number;
  retried: number;
  stopped_at: number | null;
}

/** A job that waits or runs. It goes when it ends: then its results tell the story. */
export interface JobTable {
  no: number;
  check_id: number;
  location_id: number;
  check_type: string;
  run_at: number;
  due_at: number;
  /** Not leased before; the wait in the queue counts from here. */
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
  leased_until: number;
  acknowledged: number;
}

interface AgentSessionTable {
  id: Generated<number>;
  token_hash: string;
  agent_id: string;
  location_id: number;
  account_id: number | null;
  /** The key that opened it: the session ends with it. */
  key_id: string;
  /** 0 for a session that only looks around (`outpost doctor`): it is no agent of the location. */
  runs_checks: number;
  name: string;
  version: string;
  check_types: string;
  runtimes: string;
  sandbox_level: number;
  capabilities: string;
  opened_at: number;
  last_seen_at: number;
  last_executed_at: number | null;
  expires_at: number;
  state: "running" | "draining";
  outbox_depth: number;
  loop_delay_ms: number;
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
}
