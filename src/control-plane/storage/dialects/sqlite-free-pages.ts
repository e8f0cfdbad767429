import { type Kysely, sql } from "kysely";
import type { Tables } from "../schema.ts";

/** Free pages that stay: what comes next fills them. Given back they would be moved first, and the file would grow again. */
const keptPages = 2_000;
const keptShare = 0.05;
/** 16 MB. */
const pagesOfTurn = 2_000;
const mostOfStep = 128;
/** A step that took longer, with what it waited for, is followed by a smaller one. */
const longMs = 15;

/** Shortens the file by its free pages, in steps between which other statements have their turn. @returns whether there are more */
export async function giveBackPages(db: Kysely<Tables>): Promise<boolean> {
  const [free, pages] = [await pragma(db, "freelist_count"), await pragma(db, "page_count")];
  const surplus = free - Math.max(keptPages, Math.ceil(pages * keptShare));
  const wanted = Math.min(surplus, pagesOfTurn);
  let step = 16;
  for (let done = 0; done < wanted; ) {
    const startedMs = performance.now();
    await sql`pragma incremental_vacuum(${sql.lit(step)})`.execute(db);
    done += step;
    step = performance.now() - startedMs > longMs ? Math.max(1, step / 2) : Math.min(mostOfStep, step * 2);
  }
  return surplus > wanted;
}

async function pragma(db: Kysely<Tables>, name: "freelist_count" | "page_count"): Promise<number> {
  const { rows } = await sql<Record<string, number>>`pragma ${sql.raw(name)}`.execute(db);
  return rows[0]?.[name] ?? 0;
}
