import type { TestPostgres } from "../../../support/postgres.ts";
import { type Allowed, mayReadWhole } from "./may-read-whole.ts";
import { explainOnPostgres } from "./postgres-plans.ts";
import { takeStatements } from "./seen-statements.ts";
import { explainOnSqlite } from "./sqlite-plans.ts";
import type { WholeRead } from "./whole-reads.ts";

/** What the stores of this process ran since the last call and that reads a growing table whole without a reason. */
export async function forbiddenWholeReads(server: TestPostgres | undefined): Promise<readonly WholeRead[]> {
  const [ofSqlite, ofPostgres] = [takeStatements("sqlite"), takeStatements("postgres")];
  const reads = [
    ...(ofSqlite.length === 0 ? [] : await explainOnSqlite(ofSqlite)),
    ...(server === undefined || ofPostgres.length === 0 ? [] : await explainOnPostgres(server, ofPostgres)),
  ];
  return forbidden(reads);
}

export function forbidden(reads: readonly WholeRead[]): readonly WholeRead[] {
  return reads.filter((read) => !mayReadWhole.some((allowed) => allows(allowed, read)));
}

/** A test's own look is told by its whole text; it names no table. */
function allows({ tables, part }: Allowed, { table, statement }: WholeRead): boolean {
  return tables.length === 0
    ? statement.trim().startsWith(part) && !/ limit | join /.test(statement)
    : tables.includes(table) && statement.includes(part);
}
