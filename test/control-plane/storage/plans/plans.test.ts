import { afterAll, describe, expect, it } from "vitest";
import { startPostgres } from "../../../support/postgres.ts";
import { explainOnPostgres } from "./postgres-plans.ts";
import { explainOnSqlite } from "./sqlite-plans.ts";
import { forbidden } from "./whole-read-gate.ts";
import type { SeenStatement } from "./whole-reads.ts";

const server = await startPostgres();
afterAll(() => server?.[Symbol.asyncDispose]());

const explain = {
  sqlite: explainOnSqlite,
  ...(server && { postgres: (statements: readonly SeenStatement[]) => explainOnPostgres(server, statements) }),
};

/** As the look for due checks was when each result cost 3.6 ms for it. */
const dueByOr = {
  sqlite: "select id from checks where next_due is not null and (next_due <= ?1 or next_due - period_ms > ?1) order by next_due limit 500",
  postgres: "select id from checks where next_due is not null and (next_due <= $1 or next_due - 2 * period_ms > $1) order by id limit 500",
};
const bySchedule = {
  sqlite: "select id from checks where next_due <= ? order by next_due limit 500",
  postgres: "select id from checks where next_due <= $1 order by next_due limit 500",
};
const ofOneCheck = {
  sqlite: "select * from results where check_id = ? and started_at_us >= ? order by started_at_us desc limit 10",
  postgres: "select * from results where check_id = $1 and started_at_us >= $2 order by started_at_us desc limit 10",
};

describe.each(Object.keys(explain) as (keyof typeof explain)[])("the gate on plans on %s", (engine) => {
  const readWhole = async (text: string, ...values: readonly number[]) => {
    const reads = forbidden((await explain[engine]?.([{ text, values }])) ?? []);
    return [...new Set(reads.map(({ table }) => table))];
  };

  it("finds a planted statement that reads every check", async () => {
    expect(await readWhole(dueByOr[engine], 1_700_000_000_000)).toEqual(["checks"]);
  });

  it("finds a table behind another name", async () => {
    const text = "select count(*) from results as r join checks as c on c.id = r.check_id where r.status = 500";
    expect(await readWhole(text)).toEqual(["results"]);
  });

  it("lets pass what goes by an index", async () => {
    expect(await readWhole(bySchedule[engine], 1_700_000_000_000)).toEqual([]);
    expect(await readWhole(ofOneCheck[engine], 7, 1_795_176_000_000_000)).toEqual([]);
  });
});
