import { type Kysely, sql } from "kysely";
import type { Tables } from "../schema.ts";

const dayUs = 86_400_000_000;
const parents = ["results", "result_details", "result_assets", "page_figures", "suite_runs"] as const;
/** Any number; processes that create the same day wait for each other on it. */
const partitionLock = 712_350_002;

/** One partition per UTC day of results and what belongs to them: old days are dropped whole. */
export class Partitions {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Makes the days of these instants, and the day after the last, so that midnight finds its partition. */
  async ensure(startedAtUs: readonly number[]): Promise<void> {
    const days = new Set(startedAtUs.map((us) => Math.floor(us / dayUs)));
    for (const day of days.add(Math.max(...days) + 1)) await this.#create(day);
  }

  /** @returns how many days of results were dropped */
  async dropBefore({ resultsUs, detailsUs }: { readonly resultsUs: number; readonly detailsUs: number }): Promise<number> {
    for (const parent of ["result_details", "result_assets"] as const) await this.#dropBefore(parent, Math.max(resultsUs, detailsUs));
    for (const parent of ["page_figures", "suite_runs"] as const) await this.#dropBefore(parent, resultsUs);
    return this.#dropBefore("results", resultsUs);
  }

  async #dropBefore(parent: (typeof parents)[number], beforeUs: number): Promise<number> {
    const { rows } = await sql<{
      name: string;
    }>`select inhrelid::regclass::text as name from pg_inherits where inhparent = ${parent}::regclass`.execute(this.#db);
    const old = rows.map((row) => dayInName(row.name)).filter((day) => (day + 1) * dayUs <= beforeUs);
    for (const day of old) await sql`drop table if exists ${sql.table(nameOf(parent, day))}`.execute(this.#db);
    return old.length;
  }

  /** Attaching locks the parent less than creating the table as a partition: readers and writers go on. */
  async #create(day: number): Promise<void> {
    await this.#db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(${partitionLock})`.execute(trx);
      for (const parent of parents) {
        const name = nameOf(parent, day);
        const { rows } = await sql<{ found: string | null }>`select to_regclass(${name})::text as found`.execute(trx);
        if (rows[0]?.found) continue;
        await sql`create table ${sql.table(name)} (like ${sql.table(parent)} including all)`.execute(trx);
        await sql`alter table ${sql.table(parent)} attach partition ${sql.table(name)} for values from (${sql.lit(day * dayUs)}) to (${sql.lit((day + 1) * dayUs)})`.execute(
          trx,
        );
      }
    });
  }
}

function nameOf(parent: string, day: number): string {
  return `${parent}_${new Date(day * 86_400_000).toISOString().slice(0, 10).replaceAll("-", "")}`;
}

/** The day in `results_20261120`; NaN for a name that is not ours. */
function dayInName(name: string): number {
  const digits = /_(\d{4})(\d\d)(\d\d)"?$/.exec(name);
  return digits ? Date.UTC(Number(digits[1]), Number(digits[2]) - 1, Number(digits[3])) / 86_400_000 : Number.NaN;
}
