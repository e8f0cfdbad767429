import { sql } from "kysely";
import type { Engine } from "../engine.ts";
import type { CheckRow } from "../storage.ts";
import { checkOf } from "./check-rows.ts";

/** Of the definitions that are kept; what a check is takes about three times as much memory. */
const maxCharacters = 8_388_608;

/** Of a job whose row is being read or written. Null: its check is gone. */
export const revisionOfCheck = sql<number | null>`(select revision from checks where checks.id = jobs.check_id)`.as("revision");
export const accountUuidOfCheck = ofAccount("uuid").as("account_uuid");
export const accountRuntimeOfCheck = ofAccount("runtime_id").as("account_runtime");

function ofAccount(column: "uuid" | "runtime_id") {
  return sql<string | null>`(select accounts.${sql.raw(column)} from checks join accounts on accounts.id = checks.account_id
    where checks.id = jobs.check_id)`;
}

interface Known {
  readonly revision: number;
  readonly characters: number;
  readonly check: CheckRow;
}

/**
 * Checks as their revision has them: a lease is given thousands of times between two changes of its check. A check in a group is read each
 * time, since a change of the group changes it without a revision of its own.
 */
export class KnownChecks {
  readonly #engine: Engine;
  /** Those used last at the end. */
  readonly #known = new Map<number, Known>();
  #characters = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** @param jobs with the revision that was read together with them. Those whose check is gone are left out */
  async of(jobs: readonly { readonly check_id: number; readonly revision: number | null }[]): Promise<ReadonlyMap<number, CheckRow>> {
    const found = new Map<number, CheckRow>();
    const missing = new Set<number>();
    for (const { check_id: id, revision } of jobs) {
      if (revision === null) continue;
      const known = this.#known.get(id);
      if (known?.revision === revision) found.set(id, this.#used(id, known).check);
      else missing.add(id);
    }
    for (const check of await this.#read([...missing])) found.set(check.id, check);
    return found;
  }

  async #read(ids: readonly number[]): Promise<readonly CheckRow[]> {
    if (ids.length === 0) return [];
    const ofThem = this.#engine.isAny("id", ids);
    const rows = await this.#engine.reads.selectFrom("checks").selectAll().where(ofThem).execute();
    return rows.map((row) => {
      const check = checkOf(row);
      if (row.group_id === null) this.#keep({ revision: row.revision, characters: row.definition.length, check });
      return check;
    });
  }

  #used(id: number, known: Known): Known {
    this.#known.delete(id);
    this.#known.set(id, known);
    return known;
  }

  #keep(known: Known): void {
    this.#forget(known.check.id);
    this.#known.set(known.check.id, known);
    this.#characters += known.characters;
    for (const id of this.#known.keys()) {
      if (this.#characters <= maxCharacters) return;
      this.#forget(id);
    }
  }

  #forget(id: number): void {
    this.#characters -= this.#known.get(id)?.characters ?? 0;
    this.#known.delete(id);
  }
}
