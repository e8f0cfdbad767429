import type { Generated } from "kysely";
import type { DeploymentStatus } from "./project-store.ts";

/* Tables of code projects and of what their clients leave, see `schema.ts` and `migrations/0070-projects.ts`. */

export interface ProjectTables {
  projects: {
    id: Generated<number>;
    uuid: string;
    account_id: number;
    logical_id: string;
    name: string;
    repo_url: string | null;
    created_at: number;
    updated_at: number | null;
    commit_id: Generated<string | null>;
    branch: Generated<string | null>;
    deployed_at: Generated<number | null>;
  };
  project_resources: {
    project_id: number;
    account_id: number;
    type: string;
    logical_id: string;
    physical_id: string | null;
    is_member: number;
    source_file: string | null;
    payload_hash: string;
    state_hash: string;
    import_plan: Generated<number | null>;
  };
  import_plans: {
    id: Generated<number>;
    uuid: string;
    account_id: number;
    project_id: number;
    changes: string;
    created_at: number;
    applied_at: number | null;
    committed_at: number | null;
  };
  deployments: {
    id: Generated<number>;
    uuid: string;
    account_id: number;
    project_id: number | null;
    logical_id: string;
    status: DeploymentStatus;
    error: string | null;
    result: string | null;
    created_at: number;
    ends_by: number;
    ended_at: number | null;
    cancel_requested_at: number | null;
  };
  /** Checks that run without being stored. */
  trials: {
    session_no: number;
    test_session: number;
    /** JSON */
    trial: string;
    /** That its scripts need. */
    runtime: string | null;
    /** JSON of those that it took anew for its code: path and key. */
    pictures: Generated<string | null>;
  };
  /** `body` last: what is sought reads what stands before it. */
  code_snapshots: {
    id: Generated<number>;
    account_id: number;
    sha256: string;
    size: number;
    stored_at: number;
    used_at: number;
    body: Uint8Array;
  };
  test_session_error_groups: {
    id: Generated<number>;
    account_id: number;
    hash: string;
    project_id: string | null;
    cleaned_message: string;
    raw_message: string;
    environments: string;
    first_seen: number;
    last_seen: number;
    archived_at: number | null;
    archived_forever: number;
  };
  root_cause_analyses: {
    id: Generated<number>;
    uuid: string;
    account_id: number;
    error_group_id: number | null;
    test_session_error_group_id: number | null;
    check_id: number | null;
    user_context: string;
    status: "PENDING" | "COMPLETED" | "FAILED";
    provider: string | null;
    model: string | null;
    duration_ms: number | null;
    analysis: string | null;
    created_at: number;
    /** On the installation's clock: until then somebody is at it. */
    claimed_until: Generated<number>;
    attempts: Generated<number>;
    /** That a model took. */
    tokens: Generated<number>;
    /** JSON: an `AuditActor`; null: an alert. */
    asked_by: string | null;
  };
}
