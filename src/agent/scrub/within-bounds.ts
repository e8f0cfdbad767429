import type { z } from "zod";

/** Masking makes a short secret longer: what a schema bounds is cut to its bound again, or all of it would be refused. */
export function withinBounds<T>(schema: z.ZodType, value: T): T {
  const { error } = schema.safeParse(value);
  for (const issue of error?.issues ?? []) {
    if (issue.code === "too_big" && issue.origin === "string") cut(value, issue.path, Number(issue.maximum));
  }
  return value;
}

function cut(value: unknown, path: readonly PropertyKey[], most: number): void {
  const [key, ...rest] = path;
  if (key === undefined || typeof value !== "object" || value === null) return;
  const member: unknown = Reflect.get(value, key);
  if (rest.length > 0) cut(member, rest, most);
  else if (typeof member === "string") Reflect.set(value, key, member.slice(0, most));
}
