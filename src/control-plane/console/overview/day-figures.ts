import { ttlCache } from "#domain/ttl-cache.ts";
import { type CheckFigureDeps, figuresOf } from "../../figures/check-figures.ts";
import type { CheckIndexStore } from "../../storage/storage.ts";
import type { Counted } from "./sections.ts";

export interface DayFigureDeps extends CheckFigureDeps {
  readonly checkIndex: Pick<CheckIndexStore, "ofAccount">;
  readonly nowMs: () => number;
}

/** Runs of each check of an account, by its number, of the last 24 hours: the window of the list's rows. At most a minute old. */
export type DayFigures = (accountId: number) => Promise<ReadonlyMap<number, Counted>>;

const hourMs = 3_600_000;
const hours = 24;
const remembered = { ttlMs: 60_000, maxEntries: 50 };

/** One question for all checks: headings need thousands of them at once, and a day's share moves slowly. */
export function dayFigures(deps: DayFigureDeps): DayFigures {
  const { nowMs } = deps;
  const known = ttlCache({ ...remembered, nowMs }, async (accountId) => {
    const toMs = nowMs();
    const fromMs = (Math.floor(toMs / hourMs) - hours + 1) * hourMs;
    const figures = await figuresOf(deps, await deps.checkIndex.ofAccount(Number(accountId)), { fromMs, toMs }, () => []);
    return new Map([...figures].map(([id, { runs, passed }]) => [id, { runs, passed }]));
  });
  return async (accountId) => (await known.get(String(accountId))) ?? new Map();
}
