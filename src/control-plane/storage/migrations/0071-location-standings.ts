import type { Migration } from "./migration.ts";

/**
 * At how many locations a check fails, and at how many it is degraded, by the newest run of each: in numbers beside the state, for lists of
 * thousands of checks.
 */
export const locationStandings: Migration = {
  version: 71,
  statements: (engine) => {
    const int = engine === "sqlite" ? "integer" : "bigint";
    const count = (verdict: string): string =>
      engine === "sqlite"
        ? `(select count(*) from json_each(state, '$.locations') as one where json_extract(one.value, '$.verdict') = '${verdict}')`
        : `(select count(*) from json_each(state::json -> 'locations') as one where one.value ->> 'verdict' = '${verdict}')`;
    return [
      `alter table alert_states add column failing ${int} not null default 0`,
      `alter table alert_states add column degraded ${int} not null default 0`,
      `update alert_states set failing = ${count("failing")}, degraded = ${count("degraded")}`,
    ];
  },
};
