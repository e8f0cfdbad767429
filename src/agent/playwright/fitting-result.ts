import type { ResultOf, ScriptType } from "#contract/checks/index.ts";

/** What a report may have, in characters of JSON, with room for the rest of it. */
const mostCharacters = 900_000;
/** What is dropped first: people read errors and tests, and of long lists the beginning. */
const dropped = ["console", "jobLog", "requests", "steps"] as const;

type Lists = Partial<Record<(typeof dropped)[number], readonly unknown[]>>;

/** A result that fits into a report: of its longest lists the ends are left out, half by half. Steps keep their place, so what points at them holds. */
export function fittingResult<Result extends ResultOf<ScriptType>>(result: Result): Result {
  let fitting: Result & Lists = result;
  for (let length = lengthOf(fitting); length > mostCharacters; length = lengthOf(fitting)) {
    const lists: Lists = fitting;
    const sizes = dropped.map((name) => ({ name, size: (lists[name]?.length ?? 0) === 0 ? 0 : lengthOf(lists[name]) }));
    const [largest] = sizes.toSorted((a, b) => b.size - a.size);
    if (largest === undefined || largest.size === 0) return fitting;
    const list = lists[largest.name] ?? [];
    fitting = { ...fitting, [largest.name]: list.slice(0, Math.floor(list.length / 2)) };
  }
  return fitting;
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value).length;
}
