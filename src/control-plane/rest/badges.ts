import { type BadgeQuery, getCheckBadge, getGroupBadge } from "#contract/badges.ts";
import { quickWindow } from "#domain/time-range.ts";
import { ttlCache } from "#domain/ttl-cache.ts";
import { type CheckFigureDeps, durationColumns, durationOf, figuresOf } from "../figures/check-figures.ts";
import { type Handler, handler } from "../http/handler.ts";
import type { CheckIndexStore, IndexedCheck } from "../storage/storage.ts";
import { type BadgeStatus, badgeImage } from "./badge-image.ts";

export interface BadgeDeps extends CheckFigureDeps {
  readonly checkIndex: Pick<CheckIndexStore, "activatedByUuid" | "activatedOfGroup">;
  readonly nowMs: () => number;
}

/** Anybody may ask, and often: what was found is kept for so long. */
const ttlMs = 30_000;

/** What a badge may know of the checks behind it. */
interface Shown {
  readonly name: string;
  readonly status: BadgeStatus;
  readonly checks: readonly Measured[];
}
type Measured = Pick<IndexedCheck, "id" | "type">;

/** Stands where there is no name to show. */
const anonymous = { check: "check", group: "checks" } as const;

/** Badges are public. What is missing and what is deactivated look alike, so that nobody learns which ids exist. */
export function badgeHandlers(deps: BadgeDeps): readonly Handler[] {
  const { checkIndex, nowMs } = deps;
  const cache = { ttlMs, maxEntries: 1_000, nowMs };
  const drawer = (kind: keyof typeof anonymous, find: (id: string) => Promise<readonly IndexedCheck[]>) => {
    const found = ttlCache<Shown>(cache, async (id) => shownOf(await find(id), kind));
    const times = ttlCache<{ readonly averageMs: number | undefined }>(cache, async (id) => ({
      averageMs: await averageTime(deps, (await found.get(id))?.checks ?? [], nowMs()),
    }));
    return async (id: string, { style, theme, label, responseTime }: BadgeQuery): Promise<string> => {
      const shown = await found.get(id);
      const responseTimeMs = shown !== undefined && responseTime ? (await times.get(id))?.averageMs : undefined;
      const text = label ?? shown?.name ?? anonymous[kind];
      return badgeImage({ style, theme, label: text, status: shown?.status ?? "unknown", responseTimeMs });
    };
  };
  const ofCheck = drawer("check", async (uuid) => [await checkIndex.activatedByUuid(uuid)].filter((check) => check !== undefined));
  const ofGroup = drawer("group", (id) => checkIndex.activatedOfGroup(Number(id)));
  return [
    handler(getCheckBadge, ({ params: { checkId }, query }) => ofCheck(checkId.toLowerCase(), query)),
    handler(getGroupBadge, ({ params: { groupId }, query }) => ofGroup(String(groupId), query)),
  ];
}

function shownOf(checks: readonly IndexedCheck[], kind: keyof typeof anonymous): Shown | undefined {
  const [first] = checks;
  if (first === undefined) return undefined;
  const name = kind === "check" ? first.name : anonymous[kind];
  return { name, status: statusOf(checks), checks: checks.map(({ id, type }) => ({ id, type })) };
}

/** The worst that any of them tells. */
function statusOf(checks: readonly IndexedCheck[]): BadgeStatus {
  const told = checks.map(({ latest }) => latest?.status);
  return (["failing", "degraded", "passing"] as const).find((status) => told.includes(status)) ?? "no data";
}

/** Over all results of the last 24 hours. */
async function averageTime(deps: BadgeDeps, checks: readonly Measured[], nowMs: number): Promise<number | undefined> {
  const figures = await figuresOf(deps, checks, quickWindow("last24Hours", nowMs, "UTC"), durationColumns);
  let [sum, count] = [0, 0];
  for (const { id, type } of checks) {
    const times = durationOf(type, figures.get(id));
    sum += times?.sum ?? 0;
    count += times?.count ?? 0;
  }
  return count === 0 ? undefined : sum / count;
}
