import type { Migration } from "./migration.ts";

/** Checks that are a prompt need a runtime, as those that are a script do (migration 51): until now no agent ran them. */
export const prompts: Migration = {
  version: 79,
  statements: (engine) => {
    const runtimeIn = engine === "sqlite" ? inSqlite : inPostgres;
    const ofGroup = `(select ${runtimeIn("documents.definition")} from documents where documents.id = checks.group_id)`;
    const runtime = `coalesce(${runtimeIn("checks.definition")}, ${ofGroup}, 'account')`;
    return [`update checks set script_runtime = ${runtime} where type = 'AGENTIC'`];
  },
};

const inSqlite = (definition: string): string => `${definition} ->> 'runtimeId'`;
/** Not by functions of JSON, which fail at half a surrogate pair in any text. Texts have their quotes escaped, so they look like no key. */
const inPostgres = (definition: string): string => `substring(${definition} from '"runtimeId":"([^"]+)"')`;
