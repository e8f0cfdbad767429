import type { Migration } from "./migration.ts";

/** Checks that are a script need their runtime, too (`domain/script-runtime`): until now no agent ran them. */
export const scriptChecks: Migration = {
  version: 51,
  statements: (engine) => [
    `update checks set script_runtime = coalesce(${engine === "sqlite" ? fromSqlite : fromPostgres}, 'account') where type in ('BROWSER', 'MULTI_STEP')`,
  ],
};

const fromSqlite = "definition ->> 'runtimeId'";
/** Not by functions of JSON, which fail at half a surrogate pair in any text. Texts have their quotes escaped, so they look like no key. */
const fromPostgres = `substring(definition from '"runtimeId":"([^"]+)"')`;
