/** A statement as a store ran it, with the values of its first run. */
export interface SeenStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A statement that reads every row of a table that grows. */
export interface WholeRead {
  readonly table: string;
  /** What the engine means to do, in its own words. */
  readonly step: string;
  readonly statement: string;
}

/**
 * Tables that grow with checks, with runs or with time, so that nothing which happens per run, per request or per second may read one whole.
 * The others have as many rows as there are accounts, people, keys or locations.
 */
const growing: readonly string[] = [
  ..."checks check_locations check_tags check_statuses check_alerts heartbeats heartbeat_events sessions jobs removed_checks".split(" "),
  ..."results result_details result_assets page_figures suite_runs rollup_hours rollup_days rollup_day_totals dirty_hours dirty_days".split(
    " ",
  ),
  ..."alert_subscriptions alert_states alert_outbox alert_deliveries alert_notifications given_up_alerts alert_episodes alert_episode_acts certificate_notices".split(
    " ",
  ),
  ..."error_groups agent_errors audit_log schedule_gaps queue_samples group_runs held_sessions test_sessions".split(" "),
  ..."blobs blob_parts screenshot_baselines documents document_claims subscriber_mails incident_news".split(" "),
];

/** The table of ours behind a name: partitions are called `results_20261120`. */
export function growingTable(name: string): string | undefined {
  const table = name.replace(/_\d{8}$/, "");
  return growing.includes(table) ? table : undefined;
}

export const growingTables = growing;

/** Statements that read or write rows, and no others: a store also sets things, and makes partitions. */
export function readsRows(text: string): boolean {
  return (
    /^\s*(select|insert|update|delete|with)\b/i.test(text) &&
    !/\bpg_(inherits|advisory|notify|dist|extension|stat)|\bcitus_|distribut|to_regclass|set_config/.test(text)
  );
}
