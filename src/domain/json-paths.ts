/** A JSON object. */
export type Body = Readonly<Record<string, unknown>>;

export function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The same value with what stands at a path replaced. `cards[].services[].id` names every id of every service of every card; what is not
 * there, or null, is left alone.
 */
export function replacedAt(value: unknown, path: string, replace: (found: unknown, place: string) => unknown): unknown {
  return walk(value, path.split(/\.|(?=\[\])/), replace, "");
}

function walk(
  value: unknown,
  [step, ...rest]: readonly string[],
  replace: (found: unknown, place: string) => unknown,
  place: string,
): unknown {
  if (value === null || value === undefined) return value;
  if (step === undefined) return replace(value, place);
  if (step === "[]") return Array.isArray(value) ? value.map((item, index) => walk(item, rest, replace, `${place}[${index}]`)) : value;
  if (!isBody(value) || !Object.hasOwn(value, step)) return value;
  return { ...value, [step]: walk(value[step], rest, replace, place === "" ? step : `${place}.${step}`) };
}

/** Everything that stands at a path, in order. */
export function foundAt(value: unknown, path: string): readonly unknown[] {
  return placesAt(value, path).map(({ found }) => found);
}

/** The same with the place of each, for people: `cards[0].services[2].id`. */
export function placesAt(value: unknown, path: string): readonly { readonly place: string; readonly found: unknown }[] {
  const places: { place: string; found: unknown }[] = [];
  replacedAt(value, path, (found, place) => {
    places.push({ place, found });
    return found;
  });
  return places;
}

/** The same value with every text in it replaced. `path` is for people: `config.headers[0].value`. */
export function replacedTexts(value: unknown, replace: (text: string, path: string) => string, path = ""): unknown {
  if (typeof value === "string") return replace(value, path);
  if (Array.isArray(value)) return value.map((item, index) => replacedTexts(item, replace, `${path}[${index}]`));
  if (!isBody(value)) return value;
  const under = (name: string): string => (path === "" ? name : `${path}.${name}`);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replacedTexts(item, replace, under(name))]));
}
