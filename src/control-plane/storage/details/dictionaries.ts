import type { Kysely } from "kysely";
import { AppError } from "#domain/app-error.ts";
import type { Tables } from "../schema.ts";
import { sampleText } from "./sample-results.ts";

export interface Dictionary {
  readonly id: number;
  readonly body: Uint8Array;
}

/** The dictionary that new details are packed with: the newest stored one, after adding ours when it differs. */
export async function currentDictionary(db: Kysely<Tables>): Promise<Dictionary> {
  const ours = Buffer.from(sampleText());
  const newest = await db.selectFrom("dictionaries").select(["id", "body"]).orderBy("id", "desc").limit(1).executeTakeFirst();
  if (newest && ours.equals(newest.body)) return newest;
  return db.insertInto("dictionaries").values({ body: ours }).returning(["id", "body"]).executeTakeFirstOrThrow();
}

/** Stored dictionaries by number, each read once: they never change. */
export class Dictionaries {
  readonly #db: Kysely<Tables>;
  readonly #bodies = new Map<number, Uint8Array>();

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async body(id: number): Promise<Uint8Array> {
    const known = this.#bodies.get(id);
    if (known) return known;
    const row = await this.#db.selectFrom("dictionaries").select("body").where("id", "=", id).executeTakeFirst();
    if (!row) throw new AppError("unavailable", `the compression dictionary ${id} is missing`);
    this.#bodies.set(id, row.body);
    return row.body;
  }
}
