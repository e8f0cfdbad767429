import type { Engine } from "../engine.ts";

/** Codes of locations by id, each read once: a location keeps its code, and a removed one keeps its row. */
export class LocationCodes {
  readonly #engine: Engine;
  readonly #codes = new Map<number, string>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async of(ids: readonly number[]): Promise<readonly string[]> {
    const unknown = [...new Set(ids)].filter((id) => !this.#codes.has(id));
    if (unknown.length > 0) {
      const rows = await this.#engine.reads
        .selectFrom("locations")
        .select(["id", "code"])
        .where(this.#engine.isAny("id", unknown))
        .execute();
      for (const row of rows) this.#codes.set(row.id, row.code);
    }
    return ids.map((id) => this.#codes.get(id) ?? "");
  }

  /** Every location of an account, or of all, that has or had this code. */
  async withCode(code: string): Promise<readonly number[]> {
    const rows = await this.#engine.reads.selectFrom("locations").select("id").where("code", "=", code).execute();
    return rows.map((row) => row.id);
  }
}
