import type { Generated } from "kysely";
import type { GapReason } from "#domain/schedule-gaps.ts";
import type { AssetType } from "./storage.ts";

/* Tables of runs and of what they leave behind, see `schema.ts`. */

/** `no` times 256 and a slot is the number of a job, see `numbers.ts`. */
export interface SessionTable {
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
  /** Its run of a group, while that has sessions to start. */
  group_run: number | null;
  test_session: number | null;
}

export interface LocationHostTable {
  uuid: string;
  location_id: number;
  network: string;
  name: string;
  state: "admitted" | "waiting" | "refused";
  first_seen_at: number;
  last_seen_at: number;
}

export interface AgentSessionTable {
  id: Generated<number>;
  token_hash: string;
  agent_id: string;
  /** Where it came from, as `networkOf` tells it; null for sessions of older versions. */
  network: string | null;
  /** What a later session of the same agent must bring; null where the agent brought none. */
  proof_hash: string | null;
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
  clock_ahead_ms: number | null;
  /** JSON. */
  platform: string | null;
}

/** A file of a result that is in the blob store, or on its way there. */
export interface BlobTable {
  key: string;
  /** What the store called the upload; null before its first byte. */
  ref: string | null;
  account_id: number;
  location_id: number;
  result_id: number;
  check_id: number;
  started_at_us: number;
  name: string;
  type: AssetType;
  content_type: string;
  size: number;
  sha256: string;
  created_at: number;
  /** Null while it is under way. */
  stored_at: number | null;
}

/** A project of tests in the blob store, see `migrations/0062-code-bundles.ts`. */
export interface CodeBundleTable {
  key: string;
  ref: string | null;
  account_id: number;
  /** Empty until it is whole. */
  sha256: string;
  size: number;
  files: number;
  unpacked_size: number;
  created_at: number;
  /** Null while it is under way, and when it is to be removed. */
  stored_at: number | null;
  used_at: number;
}

export interface ErrorGroupTable {
  id: Generated<number>;
  check_id: number;
  hash: string;
  account_id: number;
  cleaned_message: string;
  raw_message: string;
  first_seen: number;
  last_seen: number;
  /** Null when not archived until the next event. */
  archived_at: number | null;
  archived_forever: number;
}

export interface TestSessionTable {
  id: Generated<number>;
  account_id: number;
  location_id: number;
  name: string;
  branch: string | null;
  /** For filters: lower case. */
  search_text: string;
  definition: string;
  /** What its sessions run, as it was then. */
  checks: string;
  started_at: number;
  /** The name under which a client follows it; null where none does. */
  suite: Generated<string | null>;
  /** Its failures are in `test_session_error_groups`. */
  failures_read: Generated<number>;
}

/** An error that agents of a location reported of themselves; `hash` is that of what makes two of them the same. */
export interface AgentErrorTable {
  id: Generated<number>;
  account_id: number;
  location_id: number;
  hash: string;
  message: string;
  stack: string;
  agent_version: string;
  platform: string;
  runtime_version: string;
  /** Of the agent that reported it last. */
  agent_id: string;
  first_seen: number;
  last_seen: number;
  count: number;
}

/** `page` -1: the whole run. */
export interface PageFigureTable {
  check_id: number;
  started_at_us: number;
  id: number;
  page: number;
  m1: number | null;
  m2: number | null;
  m3: number | null;
  m4: number | null;
  m5: number | null;
  m6: number | null;
  m7: number | null;
  m8: number | null;
  m9: number | null;
}

/** `body` last: lists read what stands before it. */
export interface ResultAssetTable {
  id: number;
  started_at_us: number;
  name: string;
  type: AssetType;
  content_type: string;
  /** Empty where `blob_key` says that it is elsewhere. */
  body: Uint8Array;
  blob_key: Generated<string | null>;
}

/** The tests of an attempt of a suite. */
export interface SuiteRunTable {
  check_id: number;
  started_at_us: number;
  id: number;
  location_id: number;
  run_at: number;
  /** JSON: numbers of those beside the one that the result itself has; null where there are none. */
  error_groups: string | null;
  body: Uint8Array;
}

/** Slots that never became a run, see `domain/schedule-gaps`. `run_parallel`: at each of the locations, else at one of them in turn. */
export interface ScheduleGapTable {
  check_id: number;
  first_slot: number;
  last_slot: number;
  slots: number;
  reason: GapReason;
  location_ids: string;
  run_parallel: number;
}
