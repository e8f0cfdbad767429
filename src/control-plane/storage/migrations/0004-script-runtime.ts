import type { Migration } from "./migration.ts";

/**
 * The runtime that a check's scripts need (`domain/script-runtime`), beside its definition: agents that lack it get no job of the check.
 * The index holds such checks only, so that a lease finds out about each of its jobs and reads next to nothing.
 */
export const scriptRuntime: Migration = {
  version: 4,
  statements: (engine) => [
    "alter table checks add column script_runtime text",
    `update checks set ${engine === "sqlite" ? fromSqlite : fromPostgres}`,
    "create index checks_scripts on checks (id) where script_runtime is not null",
  ],
};

const fromSqlite = `script_runtime = coalesce(definition ->> 'runtimeId', 'account')
  where concat(definition ->> 'localSetupScript', definition ->> 'localTearDownScript',
    definition ->> 'setupSnippetId', definition ->> 'tearDownSnippetId') <> ''`;

/** Not by functions of JSON, which fail at half a surrogate pair in any text. Texts have their quotes escaped, so they look like no key. */
const fromPostgres = `script_runtime = coalesce(substring(definition from '"runtimeId":"([^"]+)"'), 'account')
  where definition ~ '"(localSetupScript|localTearDownScript|setupSnippetId|tearDownSnippetId)":("[^"]|[0-9])'`;
