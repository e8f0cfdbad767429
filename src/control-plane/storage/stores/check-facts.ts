import { type RawBuilder, sql } from "kysely";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { Engine } from "../engine.ts";

/** What a check says of itself in lists; the same for as long as it has the same revision. */
export interface CheckFacts {
  readonly revision: number;
  readonly uuid: string;
  readonly type: CheckTypeName;
  readonly name: string;
  readonly muted: boolean;
  /** Each once. */
  readonly tags: readonly string[];
}

/** Some hundred bytes each. */
const maxKnown = 20_000;

/**
 * Facts of checks by their ids, remembered until they change: whatever process changes them, their revision tells. Bounded: what was read
 * first goes.
 */
export function knownFacts(
  engine: Engine,
): (checks: readonly { readonly id: number; readonly revision: number }[]) => Promise<ReadonlyMap<number, CheckFacts>> {
  const known = new Map<number, CheckFacts>();
  return async (checks) => {
    const found = new Map<number, CheckFacts>();
    const missing: number[] = [];
    for (const { id, revision } of checks) {
      const facts = known.get(id);
      if (facts?.revision === revision) found.set(id, facts);
      else missing.push(id);
    }
    for (const [id, facts] of await readFacts(engine, missing)) {
      found.set(id, facts);
      known.delete(id);
      known.set(id, facts);
    }
    for (const oldest of known.keys()) {
      if (known.size <= maxKnown) break;
      known.delete(oldest);
    }
    return found;
  };
}

async function readFacts(engine: Engine, ids: readonly number[]): Promise<readonly (readonly [number, CheckFacts])[]> {
  if (ids.length === 0) return [];
  const rows = await engine.reads
    .selectFrom("checks")
    .select(["id", "revision", "uuid", "type", factsIn(engine).as("facts")])
    .where(engine.isAny("id", ids))
    .execute();
  return rows.map(({ id, revision, uuid, type, facts }) => {
    // Written by the schema of the check's type.
    const [name, muted, tags] = JSON.parse(facts) as [string, boolean | null, readonly string[] | null];
    return [id, { revision, uuid, type, name, muted: muted === true, tags: [...new Set(tags)] }];
  });
}

/** `[name, muted, tags]` as JSON, so that a definition is parsed once, where it lies. */
function factsIn({ kind }: Engine): RawBuilder<string> {
  return kind === "sqlite"
    ? sql`json_extract(checks.definition, '$.name', '$.muted', '$.tags')`
    : sql`(select json_build_array(name, muted, tags) from json_to_record(checks.definition::json) as f(name text, muted boolean, tags json))::text`;
}
