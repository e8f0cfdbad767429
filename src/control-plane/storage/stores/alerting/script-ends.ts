import { isCheckType, isTestedType } from "#contract/checks/index.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { ScriptEnd } from "#domain/script-failure.ts";
import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import { scriptEndOf } from "../results/incoming.ts";
import { detailParts } from "../results/result-rows.ts";

interface StoredRun {
  readonly resultId: number;
  readonly checkId: number;
  readonly type: CheckTypeName;
  readonly startedAtUs: number;
  readonly pack: number | null;
}

/** Where scripts failed whose results are stored, by the number of the result; their details may be gone. */
export async function scriptEnds(engine: Engine, trx: Trx, all: readonly StoredRun[]): Promise<ReadonlyMap<number, ScriptEnd | null>> {
  const runs = all.filter(({ type }) => isCheckType(type) && isTestedType(type));
  if (runs.length === 0) return new Map();
  const starts = runs.map(({ startedAtUs }) => startedAtUs);
  const places = runs.map(({ resultId, checkId, pack }) => ({ id: resultId, checkId, pack: pack ?? resultId }));
  const details = await engine.details(places, Math.min(...starts), Math.max(...starts), trx);
  return new Map(
    runs.map(({ resultId, type }) => {
      const { detailJson } = detailParts(details.get(resultId));
      return [resultId, detailJson === null ? null : scriptEndOf(type, JSON.parse(detailJson.toString()))];
    }),
  );
}
