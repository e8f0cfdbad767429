import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getCheckV1 } from "#contract/checks/operations.ts";
import { bodyVariants, type Known, type Variant } from "../body-values.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { ExampleWorld } from "../example-world.ts";
import { at, fresh, knownIn, type Resource, resources } from "./written-resources.ts";

type Json = Readonly<Record<string, unknown>>;

/** What a PUT leaves as it was, or makes anew, though it does not name it, and why. */
const notCleared: Readonly<Record<string, RegExp>> = {
  "private-location": /^hostLimit$/, // of this product: other clients do not know it
  incident: /^startedAt$/, // now
  "status-page": /^cards\.\*\.id$/, // of a new card
  "status-page-incident": /^incidentUpdates/, // what was told stays told
  "GRPC check": /^request\.port$/, // a part of what it calls
  "HEARTBEAT check": /^heartbeat\.pingToken$/, // its address
};

describe("a field that is left out", { timeout: 240_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let world: ExampleWorld;
  let known: Known;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest({});
    world = await ExampleWorld.build(plane);
    known = knownIn(world);
  }, 120_000);
  afterAll(() => plane[Symbol.asyncDispose]());

  it.each(resources)("of a $name has the default that its schema declares, and null or a PUT without it clears it", async (resource) => {
    const { create, name } = resource;
    const { body } = world.request(create);
    const every = create.body === undefined ? [] : bodyVariants(create.body, { ...(body as object), ...fresh[name] }, known);
    const wrong: unknown[] = [];
    const done = new Set<string>();
    for (const variant of every) {
      if (done.has(variant.field) || variant.value === null || typeof variant.path.at(-1) === "number") continue;
      const problem = await tryOne(resource, variant);
      if (problem === "refused") continue;
      done.add(variant.field);
      if (problem !== undefined) wrong.push([variant.field, variant.value, problem]);
    }
    expect(done.size).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });

  /** What does not hold, in words; undefined where all does. */
  async function tryOne(resource: Resource, variant: Variant): Promise<string | undefined> {
    const bare = await made(resource, without(variant.body, variant.path));
    if (bare !== undefined) await remove(resource, bare.id);
    const full = await made(resource, variant.body);
    if (full === undefined) return "refused";
    try {
      if (bare === undefined) return undefined; // it is required
      const omitted = told(bare.read, variant);
      if (variant.byDefault !== undefined && !includes(omitted, variant.byDefault))
        return `left out, it reads ${JSON.stringify(omitted)}, not ${JSON.stringify(variant.byDefault)}`;
      return await cleared(resource, variant, full, omitted);
    } finally {
      await remove(resource, full.id);
    }
  }

  /** A PUT of a check keeps what it does not name at the top; all else is replaced. */
  async function cleared(resource: Resource, variant: Variant, { id }: Made, omitted: unknown): Promise<string | undefined> {
    const { update, name } = resource;
    if (update === undefined || notCleared[name]?.test(variant.field) === true) return undefined;
    const isTop = variant.path.length === 1;
    const isPartial = name.endsWith(" check") && isTop;
    const put = (body: unknown) => world.send("PUT", at(update, id) + queryOf(update), body);
    if (!isPartial) {
      const answer = await put(without(variant.body, variant.path));
      if (answer.status !== 200) return `a PUT without it answers ${answer.text}`;
      const after = told(await read(resource, id), variant);
      if (!isDeepStrictEqual(after, omitted))
        return `after a PUT without it, it reads ${JSON.stringify(after)}, not ${JSON.stringify(omitted)}`;
    }
    if (!isTop || !variant.isNullable) return undefined;
    const nulled = await put({ ...(isPartial ? {} : (variant.body as Json)), [variant.field]: null });
    return nulled.status === 400 ? undefined : afterNull(told(await read(resource, id), variant), omitted);
  }

  function afterNull(after: unknown, omitted: unknown): string | undefined {
    return after === null || isDeepStrictEqual(after, omitted) ? undefined : `after a PUT of null, it reads ${JSON.stringify(after)}`;
  }

  interface Made {
    readonly id: string | number;
    readonly read: Json;
  }

  async function made(resource: Resource, body: unknown): Promise<Made | undefined> {
    const { create, idField } = resource;
    const answer = await world.send("POST", (world.request(create).path.split("?")[0] ?? "") + queryOf(create), body);
    if (answer.status >= 300) return undefined;
    const id = answer.body[idField];
    return { id, read: await read(resource, id) };
  }

  async function read({ find }: Resource, id: string | number): Promise<Json> {
    return (await world.send("GET", at(find, id) + (find === getCheckV1 ? "?includeDependencies=true" : ""))).body;
  }

  async function remove({ remove: operation }: Resource, id: string | number): Promise<void> {
    if (operation !== undefined) await world.send("DELETE", at(operation, id));
  }
});

function queryOf({ query }: Resource["create"]): string {
  return query?.shape["autoAssignAlerts"] === undefined ? "" : "?autoAssignAlerts=false";
}

function told(read: Json, { path }: Variant): unknown {
  return path.reduce<unknown>((value, step) => (value as Json | null | undefined)?.[step], read);
}

function without(body: unknown, [step, ...rest]: Variant["path"]): unknown {
  if (Array.isArray(body)) return body.map((one: unknown, index) => (index === step ? without(one, rest) : one));
  const { [String(step)]: inner, ...others } = body as Json;
  return rest.length === 0 ? others : { ...others, [String(step)]: without(inner, rest) };
}

/** An object may have more: what is inside of a default has defaults, too. */
function includes(read: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted)) return isDeepStrictEqual(read, wanted);
  return (
    typeof read === "object" && read !== null && Object.entries(wanted).every(([name, value]) => includes((read as Json)[name], value))
  );
}
