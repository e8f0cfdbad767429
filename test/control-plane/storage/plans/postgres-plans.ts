import pg from "pg";
import type { TestPostgres } from "../../../support/postgres.ts";
import { fullDatabase } from "./full-postgres.ts";
import { growingTable, type SeenStatement, type WholeRead } from "./whole-reads.ts";

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Cond"?: string;
  readonly Filter?: string;
  readonly Plans?: readonly PlanNode[];
}

/** Reads all that is below before it gives a row, so that a limit above it saves nothing. */
const whole = /^(Sort|Aggregate|Hash|SetOp|WindowAgg|Materialize|ModifyTable)$/;

/** By what PostgreSQL plans with the values of the first run, over a store that it takes for a full one. */
export async function explainOnPostgres(server: TestPostgres, statements: readonly SeenStatement[]): Promise<readonly WholeRead[]> {
  const client = new pg.Client({ connectionString: await fullDatabase(server) });
  await client.connect();
  try {
    await client.query("set jit = off");
    const found: WholeRead[] = [];
    for (const { text, values } of statements) {
      const plan = await planOf(client, text, values);
      if (plan !== undefined) found.push(...wholeReads(plan, false).map((one) => ({ ...one, statement: text })));
    }
    return found;
  } finally {
    await client.end();
  }
}

const undefinedNames = ["42P01", "42703"];

/** Undefined where it speaks of a table that no store has: some tests open what an earlier version left, or break something. */
async function planOf(client: pg.Client, text: string, values: readonly unknown[]): Promise<PlanNode | undefined> {
  try {
    const { rows } = await client.query(`explain (format json) ${text}`, [...values]);
    const [{ "QUERY PLAN": plan }] = rows as [{ "QUERY PLAN": readonly [{ Plan: PlanNode }] }];
    return plan[0].Plan;
  } catch (error) {
    if (error instanceof pg.DatabaseError && undefinedNames.includes(error.code ?? "")) return undefined;
    throw new Error(`cannot explain ${text}`, { cause: error });
  }
}

/** @param isLimited somebody above takes the first rows and leaves the rest unread */
function wholeReads(node: PlanNode, isLimited: boolean): readonly Omit<WholeRead, "statement">[] {
  const type = node["Node Type"];
  const below = (node.Plans ?? []).flatMap((plan) => wholeReads(plan, type === "Limit" || (isLimited && !whole.test(type))));
  const table = growingTable(node["Relation Name"] ?? "");
  if (table === undefined || !readsAll(node, isLimited)) return below;
  return [...below, { table, step: `${type} ${node.Filter ?? ""}`.trimEnd() }];
}

/** Rows in the order of an index, for as long as a limit wants some, are not the whole table, unless a filter throws them away. */
function readsAll(node: PlanNode, isLimited: boolean): boolean {
  if (node["Node Type"] === "Seq Scan") return true;
  if (!/^Index (Only )?Scan$/.test(node["Node Type"]) || node["Index Cond"] !== undefined) return false;
  return !isLimited || node.Filter !== undefined;
}
