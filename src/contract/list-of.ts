import { z } from "zod";

/**
 * A list whose length is looked at before its entries: of one that is too long none is read, so it costs nothing more. For what agents
 * report, where each wrong entry would become issues of its own.
 */
export function listOf<const S extends z.ZodType>(entry: S, max: number) {
  return z.preprocess(
    (given: z.input<S>[]) => (Array.isArray(given) && given.length > max ? given.length : given), // whatever it is: the schema judges
    z.array(entry).max(max),
  );
}
