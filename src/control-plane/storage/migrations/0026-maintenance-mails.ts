import type { Migration } from "./migration.ts";

/**
 * Subscribers of status pages are told of maintenance, too: which window, and as JSON which occurrence and what of it. Windows that status pages show
 * are open documents from now on, with an index of their own, as they are looked at every few seconds.
 */
export const maintenanceMails: Migration = {
  version: 26,
  statements: (engine) => {
    const int = engine === "sqlite" ? "integer" : "bigint";
    return [
      `alter table subscriber_mails add column window_id ${int} references documents (id) on delete cascade`,
      "alter table subscriber_mails add column news text",
      "create index subscriber_mails_window on subscriber_mails (window_id) where window_id is not null",
      `update documents set is_open = 1 where kind = 'maintenance-window' and definition like '%"enabled":true%'`,
      "create index documents_announced on documents (id) where kind = 'maintenance-window' and is_open = 1",
    ];
  },
};
