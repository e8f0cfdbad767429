import type { Migration } from "./migration.ts";

/**
 * Alerts go by their age, and who was told of a certificate is kept for as long as somebody sees it. What locations left that are gone goes.
 * Notices of locations wait in the queues of their channels, with the alerts, and stand in the list of what was sent: such rows have a
 * `notice` in the place of an alert.
 */
export const alertRetention: Migration = {
  version: 23,
  statements: (engine) => [
    "create index check_alerts_age on check_alerts (created_at)",
    "alter table certificate_notices rename column told_at to seen_at",
    "create index certificate_notices_age on certificate_notices (seen_at)",
    "delete from location_silences where location_id in (select id from locations where removed_at is not null)",
    ...(engine === "sqlite" ? sqliteStatements : postgresStatements),
    `insert into alert_deliveries (account_id, channel_id, notice, created_at, delivery, due_at, attempts, claimed_until_ms)
      select account_id, channel_id, notice, due_at, delivery, due_at, attempts, claimed_until_ms from location_notices order by id`,
    "drop table location_notices",
    "create index alert_notifications_notices on alert_notifications (sent_at) where check_alert_id is null",
  ],
};

const createdAt = "(select created_at from check_alerts where check_alerts.id = alert_id)";

const postgresStatements: readonly string[] = [
  "alter table alert_deliveries alter column alert_id drop not null, add column notice text, add column created_at bigint not null default 0",
  `update alert_deliveries set created_at = ${createdAt}`,
  "alter table alert_notifications alter column check_alert_id drop not null, add column notice text",
];

/** SQLite cannot take `not null` from a column: the tables are made anew. */
const sqliteStatements: readonly string[] = [
  `create table new_deliveries (id integer primary key autoincrement, account_id integer not null,
    channel_id integer not null references documents (id) on delete cascade,
    alert_id integer references check_alerts (id) on delete cascade, notice text, created_at integer not null, delivery text not null,
    due_at integer not null, attempts integer not null, claimed_until_ms integer not null, unique (channel_id, alert_id))`,
  `insert into new_deliveries select id, account_id, channel_id, alert_id, null, ${createdAt}, delivery, due_at, attempts, claimed_until_ms
    from alert_deliveries`,
  "drop table alert_deliveries",
  "alter table new_deliveries rename to alert_deliveries",
  "create index alert_deliveries_channel on alert_deliveries (channel_id, id)",
  "create index alert_deliveries_alert on alert_deliveries (alert_id)",
  `create table new_notifications (id integer primary key autoincrement, account_id integer not null,
    check_alert_id integer references check_alerts (id) on delete cascade, notice text, channel_id integer not null, channel_type text not null,
    status text not null, config text not null, result text, check_result text not null, sent_at integer not null)`,
  `insert into new_notifications select id, account_id, check_alert_id, null, channel_id, channel_type, status, config, result, check_result, sent_at
    from alert_notifications`,
  "drop table alert_notifications",
  "alter table new_notifications rename to alert_notifications",
  "create index alert_notifications_account on alert_notifications (account_id, sent_at, id)",
  "create index alert_notifications_channel on alert_notifications (account_id, channel_id, sent_at, id)",
  "create index alert_notifications_alert on alert_notifications (check_alert_id)",
];
