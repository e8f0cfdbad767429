import type { Migration } from "./migration.ts";

/**
 * What an agentic check did when it passed last, as JSON, for agents that do it again. `key` is of all that it depends on: prompt, hosts and variables.
 * One for each check, small, and gone with it.
 */
export const plans: Migration = {
  version: 78,
  statements: (engine) => {
    const number = engine === "sqlite" ? "integer" : "bigint";
    return [
      `create table check_plans (check_id ${number} primary key references checks (id) on delete cascade, plan_key text not null, plan text not null,
         written_at ${number} not null)`,
    ];
  },
};
