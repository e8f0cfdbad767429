import type { Kysely } from "kysely";
import { type Effect, type EffectKind, effectOf, has, type MaintenanceRecord, type WindowRecord } from "#domain/maintenance-effects.ts";
import type { Engine } from "../engine.ts";
import type { Tables } from "../schema.ts";

const windowKind = "maintenance-window";

/**
 * What maintenance windows of accounts do at some time from the first to the second, by account; those without any are left out. Read in the
 * transaction that acts on it, and nowhere kept: a change holds at once, in every process. It costs one look-up where no window has such an
 * effect.
 */
export async function maintenanceEffects(
  engine: Engine,
  db: Kysely<Tables>,
  kind: EffectKind,
  accountIds: readonly number[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<ReadonlyMap<number, readonly Effect[]>> {
  const windows = (await windowsOf(engine, db, accountIds)).filter(({ window }) => has(kind, window));
  const changed = await changedMaintenances(engine, db, windows);
  const effects = windows.map(({ id, accountId, window }) => ({
    accountId,
    effect: effectOf(kind, window, changed.get(id) ?? [], fromMs, toMs),
  }));
  const holding = effects.filter(({ effect }) => effect.spans.length > 0);
  return new Map([...Map.groupBy(holding, (one) => one.accountId)].map(([id, all]) => [id, all.map(({ effect }) => effect)]));
}

/** What one window does to checks, with its name. */
export interface NamedEffect {
  readonly accountId: number;
  readonly windowId: number;
  readonly name: string;
  readonly kind: "pauses" | "silences";
  readonly effect: Effect;
}

/** What windows of accounts do to runs and alerts of checks at some time from the first to the second, for people. */
export async function namedEffects(
  engine: Engine,
  db: Kysely<Tables>,
  accountIds: readonly number[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<readonly NamedEffect[]> {
  const windows = await windowsOf(engine, db, accountIds);
  const changed = await changedMaintenances(engine, db, windows);
  return (["pauses", "silences"] as const).flatMap((kind) =>
    windows
      .filter(({ window }) => has(kind, window))
      .map(({ id: windowId, accountId, window }) => {
        const effect = effectOf(kind, window, changed.get(windowId) ?? [], fromMs, toMs);
        return { accountId, windowId, name: window.name, kind, effect };
      })
      .filter(({ effect }) => effect.spans.length > 0),
  );
}

async function windowsOf(engine: Engine, db: Kysely<Tables>, accountIds: readonly number[]) {
  if (accountIds.length === 0) return [];
  const rows = await db
    .selectFrom("documents")
    .select(["id", "account_id", "definition"])
    .where(engine.isAny("account_id", accountIds))
    .where("kind", "=", windowKind)
    .execute();
  // Written by the resource of maintenance windows.
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    window: JSON.parse(row.definition) as WindowRecord & { readonly name: string },
  }));
}

/** Those that differ from what their windows plan, by window. */
export async function changedMaintenances(
  engine: Engine,
  db: Kysely<Tables>,
  windows: readonly { readonly id: number }[],
): Promise<ReadonlyMap<number | null, readonly MaintenanceRecord[]>> {
  if (windows.length === 0) return new Map();
  const rows = await db
    .selectFrom("documents")
    .select(["parent_id", "definition"])
    .where(
      engine.isAny(
        "parent_id",
        windows.map(({ id }) => id),
      ),
    )
    .where("kind", "=", "maintenance")
    .execute();
  const byWindow = Map.groupBy(rows, (row) => row.parent_id);
  // Written by the resource of maintenances.
  return new Map([...byWindow].map(([id, all]) => [id, all.map((row) => JSON.parse(row.definition) as MaintenanceRecord)]));
}
