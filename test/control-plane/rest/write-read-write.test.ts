import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getCheckV1 } from "#contract/checks/operations.ts";
import { bodyVariants, type Known, type Variant } from "../body-values.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { ExampleWorld } from "../example-world.ts";
import { at, fresh, isTriedElsewhere, knownIn, type Resource, resources } from "./written-resources.ts";

const stored = "********";
const isSecret = /^(?:value|password|passphrase|webhookSecret|apiKey|token|signingSecret)$|^(?:http|ws)s?:/;

/** Where another value comes back, and why. */
const differs: Readonly<Record<string, (read: unknown, sent: unknown) => boolean>> = {
  "client-certificate passphrase": (read) => read === undefined, // never shown again
  "variable value": (read) => read === null || read === stored, // of the example: a secret
  "incident startedAt": (read) => typeof read === "string", // null: now
  "status-page-incident services.*.name": () => true, // the service's own
  "status-page-incident services.*.accountId": () => true,
  "status-page cards.*.id": () => true, // of a card that there is, else a new one
  "TCP check request.url": () => true, // the hostname under the name that URL checks have
  "PLAYWRIGHT check installCommand": (read, sent) => read === (sent ?? ""), // null: the default
  "HEARTBEAT check heartbeat.pingToken": (read) => typeof read === "string", // null or empty: a new one
};

describe("what is written is what is read", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  let world: ExampleWorld;
  let known: Known;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest({});
    world = await ExampleWorld.build(plane);
    known = knownIn(world);
  }, 120_000);
  afterAll(() => plane[Symbol.asyncDispose]());

  it.each(resources)("of a $name: each field, and nothing changes when it is sent back", async (resource) => {
    const { create, name } = resource;
    const { path, body } = world.request(create);
    const query = create.query?.shape["autoAssignAlerts"] === undefined ? "" : "?autoAssignAlerts=false";
    const [taken, refused, wrong] = [new Set<string>(), new Map<string, string>(), new Array<unknown>()];
    const every = create.body === undefined ? [] : bodyVariants(create.body, { ...(body as object), ...fresh[name] }, known);
    const variants = every.filter((one) => !isTriedElsewhere(resource, one));
    expect(every.length).toBeGreaterThan(1);
    for (const variant of variants) {
      const { field, value } = variant;
      const made = await world.send("POST", path.split("?")[0] + query, variant.body);
      if (made.status === 400) refused.set(field, made.body.message);
      else if (made.status !== create.successStatus) wrong.push([field, value, made.text]);
      if (made.status >= 300) continue;
      const problem = await tryOne(resource, variant, made.body[resource.idField], taken.has(field));
      if (problem !== undefined) wrong.push([field, value, problem]);
      else if (value !== null) taken.add(field);
    }
    expect(wrong).toEqual([]);
    expect([...refused].filter(([field]) => !taken.has(field) && notTried[name]?.test(field) !== true)).toEqual([]);
  });

  /** What does not hold, in words; undefined where all does. */
  async function tryOne(resource: Resource, variant: Variant, id: string | number, isSentBack: boolean): Promise<string | undefined> {
    const { find, update, remove, name } = resource;
    const address = at(find, id) + (find === getCheckV1 ? "?includeDependencies=true" : "");
    try {
      const read = (await world.send("GET", address)).body;
      const told = variant.path.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], read);
      if (!(differs[`${name} ${variant.field}`]?.(told, variant.value) ?? agrees(variant.value, told)))
        return `reads back as ${JSON.stringify(told)}`;
      if (update === undefined || isSentBack) return undefined;
      const put = await world.send("PUT", at(update, id), read);
      if (put.status !== 200) return `sent back, it answers ${put.text}`;
      const changed = changesBetween(read, (await world.send("GET", address)).body);
      return changed.length > 0 ? `sent back, it changes ${changed.join(", ")}` : undefined;
    } finally {
      if (remove !== undefined) await world.send("DELETE", at(remove, id));
    }
  }
});

/** Fields that a schema alone cannot fill: they hold to what stands beside them, and the resource's own tests write them. */
const notTried: Readonly<Record<string, RegExp>> = {
  "client-certificate": /^(cert|key)$/,
  "alert-channel": /^subscriptions\.\*/,
  "check-group": /assertions\.\*/,
  incident: /^dashboardId$/,
  "status-page": /^url$|services\.\*/,
  "status-page-incident": /^services/,
  "maintenance-window": /^(startsAt|endsAt|repeatEndsAt|timezone)$/,
  "API check": /assertions\.\*/,
  "URL check": /assertions\.\*/,
  "BROWSER check": /^snapshots/,
  "TCP check": /^request$/,
  "DNS check": /assertions\.\*/,
  "ICMP check": /assertions\.\*/,
  "GRPC check": /assertions\.\*|^request$|^request\.(url|grpcConfig)$/,
  "TRACEROUTE check": /assertions\.\*/,
  "HEARTBEAT check": /^heartbeat(\.period)?$/,
};

/** Whether each member that was sent came back; an object may have more, and a secret comes back hidden. */
function agrees(sent: unknown, read: unknown, name = ""): boolean {
  if (read === stored) return name === "" || isSecret.test(name) || isSecret.test(String(sent));
  if (isObject(sent)) return isObject(read) && Object.entries(sent).every(([key, value]) => agrees(value, read[key], key));
  if (!Array.isArray(read)) return sent === read;
  const all: readonly unknown[] = Array.isArray(sent) ? sent : [sent]; // of `onlyOn` one word stands for a list of it
  return all.length === read.length && all.every((one, index) => agrees(one, read[index]));
}

function changesBetween(before: unknown, after: unknown): readonly string[] {
  if (!isObject(before) || !isObject(after)) return ["everything"];
  const names = Object.keys({ ...before, ...after }).filter((name) => !isTime.test(name));
  return names.filter((name) => !isDeepStrictEqual(timeless(before[name]), timeless(after[name])));
}

const isTime = /^updated_?at$/i;

function timeless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(timeless);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, one]) => (isTime.test(name) ? [] : [[name, timeless(one)]])));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
