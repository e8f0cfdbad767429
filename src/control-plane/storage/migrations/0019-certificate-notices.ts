import type { Migration } from "./migration.ts";

/**
 * Which channel was told of which certificate under which threshold, so that each hears of it once, whoever checks it; and what a message says
 * of a certificate and of the target's answer.
 */
export const certificateNotices: Migration = {
  version: 19,
  statements: (engine) => {
    const int = engine === "sqlite" ? "integer" : "bigint";
    return [
      `create table certificate_notices (channel_id ${int} not null references documents (id) on delete cascade, fingerprint text not null,
        threshold ${int} not null, alert_id ${int} not null, told_at ${int} not null, primary key (channel_id, fingerprint, threshold))`,
      "create index certificate_notices_alert on certificate_notices (alert_id)",
      "alter table check_alerts add column certificate_domain text",
      `alter table check_alerts add column certificate_days ${int}`,
      "alter table check_alerts add column status_text text",
    ];
  },
};
