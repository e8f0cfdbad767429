/** What an open episode may share with others. */
export interface Caused {
  readonly id: number;
  /** The error without what differs from run to run; null: none is known. */
  readonly cleanedError: string | null;
  /** That the check looks at; null: none, or several. */
  readonly host: string | null;
}

export interface CauseGroup<E extends Caused> {
  /** What all of them share; null: nothing, and it is one episode. */
  readonly cause: { readonly kind: "error" | "host"; readonly text: string } | null;
  readonly episodes: readonly E[];
}

/**
 * Episodes that fail with the same error or at the same host, together: each stands in one group, the largest that it could be in. Groups
 * come in the order of their first episodes.
 */
export function groupByCause<E extends Caused>(episodes: readonly E[]): readonly CauseGroup<E>[] {
  const left = new Set(episodes);
  const groups: CauseGroup<E>[] = [];
  const candidates = [...candidatesOf(episodes).values()].toSorted((a, b) => b.episodes.length - a.episodes.length);
  for (const { cause, episodes: all } of candidates) {
    const together = all.filter((one) => left.has(one));
    if (together.length < 2) continue;
    groups.push({ cause, episodes: together });
    for (const one of together) left.delete(one);
  }
  const places = new Map(episodes.map((one, index) => [one.id, index]));
  const placeOf = ({ episodes: [first] }: CauseGroup<E>): number => places.get(first?.id ?? 0) ?? 0;
  return [...groups, ...[...left].map((one) => ({ cause: null, episodes: [one] }))].toSorted((a, b) => placeOf(a) - placeOf(b));
}

interface Candidate<E extends Caused> {
  readonly cause: NonNullable<CauseGroup<E>["cause"]>;
  readonly episodes: E[];
}

/** Errors first: of two groups of one size the error says more. */
function candidatesOf<E extends Caused>(episodes: readonly E[]): ReadonlyMap<string, Candidate<E>> {
  const found = new Map<string, Candidate<E>>();
  for (const kind of ["error", "host"] as const)
    for (const one of episodes) {
      const text = kind === "error" ? one.cleanedError : one.host;
      if (text !== null && text !== "")
        found.getOrInsertComputed(`${kind} ${text}`, () => ({ cause: { kind, text }, episodes: [] })).episodes.push(one);
    }
  return found;
}

/** The host that a check's request names; null where it names none, or a template. */
export function checkedHost(definition: Readonly<Record<string, unknown>>): string | null {
  const { request } = definition;
  if (typeof request !== "object" || request === null) return null;
  const { url, hostname } = request as { readonly url?: unknown; readonly hostname?: unknown };
  const host = typeof url === "string" ? (URL.parse(url)?.hostname ?? "") : typeof hostname === "string" ? hostname : "";
  return host === "" || /[{}\s]|%7b/i.test(host) ? null : host.toLowerCase().slice(0, 253);
}
