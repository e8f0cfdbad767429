import { type RawBuilder, sql } from "kysely";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { GroupSay } from "../check-index-store.ts";
import type { Engine } from "../engine.ts";
import { groupsById } from "./check-group-rows.ts";

/** What a check says of itself in lists; the same for as long as it has the same revision. */
export interface CheckFacts {
  readonly revision: number;
  readonly uuid: string;
  readonly type: CheckTypeName;
  readonly name: string;
  readonly muted: boolean;
  /** Each once. */
  readonly tags: readonly string[];
  /** See `IndexedCheck`. */
  readonly searched: string;
}

/** What a group makes of its checks in lists; the same object for as long as it says the same. */
export interface GroupFacts {
  readonly name: string;
  readonly say: GroupSay;
  readonly tags: readonly string[];
}

/** More groups than this are told anew with each look. */
const maxGroups = 5_000;

export function readGroupFacts(engine: Engine): (ids: readonly number[]) => Promise<ReadonlyMap<number, GroupFacts>> {
  const known = new Map<number, { readonly text: string; readonly facts: GroupFacts }>();
  return async (ids) => {
    const found = new Map<number, GroupFacts>();
    for (const { id, settings } of await groupsById(engine.reads, engine, ids)) {
      const say = { id, activated: settings.activated, muted: settings.muted };
      const facts = { name: settings.name, say, tags: settings.tags };
      const text = JSON.stringify(facts);
      const before = known.get(id);
      if (before?.text !== text && known.size < maxGroups) known.set(id, { text, facts });
      found.set(id, before?.text === text ? before.facts : facts);
    }
    return found;
  };
}

/** Of these checks; missing ones are left out. */
export async function readFacts(engine: Engine, ids: readonly number[]): Promise<ReadonlyMap<number, CheckFacts>> {
  if (ids.length === 0) return new Map();
  const rows = await engine.reads
    .selectFrom("checks")
    .select(["id", "revision", "uuid", "type", factsIn(engine).as("facts")])
    .where(engine.isAny("id", ids))
    .execute();
  return new Map(
    rows.map(({ id, revision, uuid, type, facts }) => {
      // Written by the schema of the check's type.
      const [name, muted, tags, ...searched] = JSON.parse(facts) as Facts;
      const text = [name, tags, ...searched].flat().filter((part) => part !== null);
      return [id, { revision, uuid, type, name, muted: muted === true, tags: [...new Set(tags)], searched: text.join("\n").toLowerCase() }];
    }),
  );
}

type Facts = readonly [
  name: string,
  muted: boolean | null,
  tags: readonly string[] | null,
  ...searched: readonly (string | number | readonly string[] | null)[],
];

/** As JSON, so that a definition is parsed once, where it lies. */
function factsIn({ kind }: Engine): RawBuilder<string> {
  return kind === "sqlite"
    ? sql`json_extract(checks.definition, '$.name', '$.muted', '$.tags', '$.request.url', '$.request.hostname', '$.request.query', '$.request.port', '$.locations', '$.privateLocations')`
    : sql`(select json_build_array(name, muted, tags, request ->> 'url', request ->> 'hostname', request ->> 'query', request ->> 'port', locations, "privateLocations")
      from json_to_record(checks.definition::json) as f(name text, muted boolean, tags json, request json, locations json, "privateLocations" json))::text`;
}
