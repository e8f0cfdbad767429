import type { Migration } from "./migration.ts";

/**
 * Analyses of failures that somebody works on: until when one is held, how often one began, what a model took for it, who asked. What asks for itself looks at each
 * episode once; those that there are already are not asked for. An incident finds the episode that it was opened for.
 */
export const rootCauses: Migration = {
  version: 76,
  statements: (engine) => {
    const int = engine === "sqlite" ? "integer" : "bigint";
    return [
      `alter table root_cause_analyses add column claimed_until ${int} not null default 0`,
      `alter table root_cause_analyses add column attempts ${int} not null default 0`,
      `alter table root_cause_analyses add column tokens ${int} not null default 0`,
      "alter table root_cause_analyses add column asked_by text",
      "create index root_cause_analyses_pending on root_cause_analyses (id) where status = 'PENDING'",
      "create index root_cause_analyses_age on root_cause_analyses (created_at)",
      "create index root_cause_analyses_spent on root_cause_analyses (account_id, created_at) where tokens > 0",
      `alter table alert_episodes add column analysis_asked ${int} not null default 0`,
      "update alert_episodes set analysis_asked = 1",
      "create index alert_episodes_unasked on alert_episodes (id) where analysis_asked = 0",
      "create index alert_episode_acts_incident on alert_episode_acts (detail) where kind = 'incident'",
    ];
  },
};
