/** A JSON object. */
export type Body = Readonly<Record<string, unknown>>;

export function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The same value with what stands at a path replaced. `cards[].services[].id` names every id of every service of every card; what is not
 * there, or null, is left alone.
 */
export function replacedAt(value: unknown, path: string, replace: (found: unknown) => unknown): unknown {
  return walk(value, path.split(/\.|(?=\[\])/), replace);
}

function walk(value: unknown, [step, ...rest]: readonly string[], replace: (found: unknown) => unknown): unknown {
  if (value === null || value === undefined) return value;
  if (step === undefined) return replace(value);
  if (step === "[]") return Array.isArray(value) ? value.map((item) => walk(item, rest, replace)) : value;
  if (!isBody(value) || !Object.hasOwn(value, step)) return value;
  return { ...value, [step]: walk(value[step], rest, replace) };
}

/** Everything that stands at a path, in order. */
export function foundAt(value: unknown, path: string): readonly unknown[] {
  const found: unknown[] = [];
  replacedAt(value, path, (one) => {
    found.push(one);
    return one;
  });
  return found;
}

/** The same value with every text in it replaced. `path` is for people: `config.headers[0].value`. */
export function replacedTexts(value: unknown, replace: (text: string, path: string) => string, path = ""): unknown {
  if (typeof value === "string") return replace(value, path);
  if (Array.isArray(value)) return value.map((item, index) => replacedTexts(item, replace, `${path}[${index}]`));
  if (!isBody(value)) return value;
  const under = (name: string): string => (path === "" ? name : `${path}.${name}`);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replacedTexts(item, replace, under(name))]));
}
