import type { z } from "zod";

/** A value for each of the named fields. */
export type Defaults<Fields extends z.core.$ZodLooseShape, Names extends keyof Fields> = {
  readonly [Name in Names]: z.core.util.NoUndefined<z.output<Fields[Name]>>;
};
type Defaulted<Fields extends z.core.$ZodLooseShape, Names extends keyof Fields> = {
  [Name in keyof Fields]: Name extends Names ? z.ZodDefault<Fields[Name]> : Fields[Name];
};

/**
 * The same fields, those named in `defaults` filled in when omitted. A resource declares its fields once, without defaults: creation
 * adds them here, a partial update must not, since what it omits keeps its value (behaviour 1).
 */
export function withDefaults<const Fields extends z.core.$ZodLooseShape, Names extends keyof Fields>(
  fields: Fields,
  defaults: Defaults<Fields, Names>,
): Defaulted<Fields, Names> {
  const filled = Object.entries(defaults).map(([name, value]) => [name, (fields[name] as z.ZodType).default(value)]);
  // The loop cannot tell the compiler that it visited exactly these names.
  return { ...fields, ...Object.fromEntries(filled) } as Defaulted<Fields, Names>;
}
