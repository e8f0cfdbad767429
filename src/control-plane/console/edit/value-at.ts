/** A body of an operation, or a part of one that has fields. */
export type Body = Readonly<Record<string, unknown>>;

/** The value at a path such as `request.url`; undefined where there is none. */
export function valueAt(body: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (isBody(value) ? value[name] : undefined), body);
}

export function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
