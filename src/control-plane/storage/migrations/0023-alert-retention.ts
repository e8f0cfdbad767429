import type { Migration } from "./migration.ts";

/** Alerts go by their age, and who was told of a certificate is kept for as long as somebody sees it. What locations left that are gone goes. */
export const alertRetention: Migration = {
  version: 23,
  statements: () => [
    "create index check_alerts_age on check_alerts (created_at)",
    "alter table certificate_notices rename column told_at to seen_at",
    "create index certificate_notices_age on certificate_notices (seen_at)",
    "delete from location_silences where location_id in (select id from locations where removed_at is not null)",
  ],
};
