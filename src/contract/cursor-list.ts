import { z } from "zod";
import { absentWhereEmpty } from "./primitives.ts";

/** An answer of a cursor list (behaviour 1); `nextId` null ends it. */
export function cursorListOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    length: z.int().describe("entries in this answer"),
    entries: z.array(item),
    nextId: z.string().nullable().describe("asks for what follows; null at the end"),
  });
}

/** How much of a cursor list is wanted. */
export const cursorQuery = {
  limit: z.coerce.number().int().min(1).max(100).default(20).describe("entries per answer"),
  nextId: absentWhereEmpty(z.string().max(100)).describe("`nextId` of the answer before"),
};
