import type { z } from "zod";

type Defaults<Fields extends z.core.$ZodLooseShape> = { readonly [Name in keyof Fields]?: z.core.util.NoUndefined<z.output<Fields[Name]>> };
type Defaulted<Fields extends z.core.$ZodLooseShape, Given> = {
  [Name in keyof Fields]: Name extends keyof Given ? z.ZodDefault<Fields[Name]> : Fields[Name];
};

/**
 * The same fields, those named in `defaults` filled in when omitted. A resource declares its fields once, without defaults: creation
 * adds them here, a partial update must not, since what it omits keeps its value (behaviour 1).
 */
export function withDefaults<const Fields extends z.core.$ZodLooseShape, const Given extends Defaults<Fields>>(
  fields: Fields,
  defaults: Given,
): Defaulted<Fields, Given> {
  const filled = Object.entries(defaults).map(([name, value]) => [name, (fields[name] as z.ZodType).default(value)]);
  // The loop cannot tell the compiler that it visited exactly the keys of `Given`.
  return { ...fields, ...Object.fromEntries(filled) } as Defaulted<Fields, Given>;
}
