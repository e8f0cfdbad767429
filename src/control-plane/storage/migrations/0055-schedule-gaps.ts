import type { Migration } from "./migration.ts";

/**
 * Slots that never became a run, a row for each span of them, which goes with its check; where each check stands in its slots; and until
 * when a run of the schedule may begin. Runs that nobody ran are counted by check, too (`type` 2 is MISSED).
 */
export const scheduleGaps: Migration = {
  version: 55,
  statements: (engine) => {
    const number = engine === "sqlite" ? "integer" : "bigint";
    return [
      `create table schedule_gaps (check_id ${number} not null references checks (id) on delete cascade, first_slot ${number} not null,
         last_slot ${number} not null, slots ${number} not null, reason text not null, location_ids text not null, run_parallel ${number} not null,
         primary key (check_id, first_slot))`,
      "create index schedule_gaps_age on schedule_gaps (last_slot)",
      `alter table checks add column relived_slot ${number}`,
      `alter table checks add column relives ${number} not null default 0`,
      `alter table jobs add column begin_by ${number}`,
      "create index jobs_begin_by on jobs (begin_by) where agent_session is null and begin_by is not null and attempt = 1",
      "create index results_missed_of_check on results (check_id, started_at_us, location_id) where type = 2",
      "create index jobs_of_schedule on jobs (check_id, location_id) where begin_by is not null",
    ];
  },
};
