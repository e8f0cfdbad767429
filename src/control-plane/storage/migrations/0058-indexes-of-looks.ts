import type { Migration } from "./migration.ts";

/** Looks that read a growing table whole without them: found by explaining every statement of the storage tests. */
export const indexesOfLooks: Migration = {
  version: 58,
  statements: () => [
    "create index checks_offsets on checks (frequency, frequency_offset)",
    // All jobs of a check, and not only those of the schedule.
    "drop index jobs_of_schedule",
    "create index jobs_check on jobs (check_id, location_id)",
    "create index alert_outbox_account on alert_outbox (account_id, id)",
    "create index alert_outbox_check on alert_outbox (check_id)",
    "create index certificate_notices_fingerprint on certificate_notices (fingerprint)",
    "create index test_sessions_age on test_sessions (started_at)",
  ],
};
