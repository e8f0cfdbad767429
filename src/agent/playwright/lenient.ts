import { z } from "zod";

/** Of what somebody else wrote: cut to its limit, and nothing where it is something else. */
export function text(most: number) {
  return z
    .string()
    .catch("")
    .transform((given) => given.slice(0, most));
}

export function textOrNull(most: number) {
  return z
    .string()
    .nullable()
    .catch(null)
    .transform((given) => given?.slice(0, most) ?? null);
}

export const number = z.number().catch(0);
export const numberOrNull = z.number().nullable().catch(null);
export const count = z.int().min(0).catch(0);

/** The entries that can be read, at most so many. */
export function entries<S extends z.ZodType>(schema: S, most: number) {
  return z
    .array(z.unknown())
    .catch([])
    .transform((all) =>
      all.slice(0, most).flatMap((one) => {
        const read = schema.safeParse(one);
        return read.success ? [read.data] : [];
      }),
    );
}
