import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kinds } from "#contract/kinds.ts";
import type { Operation } from "#contract/operation.ts";
import { type ObjectType, resourceKinds } from "../../../src/control-plane/projects/resource-kinds.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { ExampleWorld } from "../example-world.ts";

const types = Object.keys(resourceKinds) as ObjectType[];
const check = {
  checkType: "URL",
  name: "Mine",
  locations: ["eu-central-1"],
  request: { method: "GET", url: "https://mine.example.com/" },
};
/** A body of the account's own for an object of each type. */
const payloads: Readonly<Record<ObjectType, object>> = {
  check,
  "check-group": { v: 2, name: "Mine" },
  "alert-channel": { type: "EMAIL", config: { address: "mine@example.com" } },
  "maintenance-window": { name: "Mine", tags: ["mine"], startsAt: "2030-01-01T00:00:00.000Z", endsAt: "2030-01-01T01:00:00.000Z" },
  "private-location": { name: "Mine", slugName: "mine" },
  "status-page-service": { name: "Mine" },
  "status-page": { name: "Mine", url: "mine", cards: [] },
  dashboard: { customUrl: "mine", header: "Mine" },
};

/** What code of one account can name of another one: nothing. */
describe("a project that names objects of another account", () => {
  let plane: ControlPlaneUnderTest;
  let victim: ExampleWorld;
  let key: string;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    victim = await ExampleWorld.build(plane);
    const { storage, nowMs } = plane.context;
    const account = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Mallory", runtimeId: "2026.04", nowMs: nowMs() });
    key = await plane.keyFor("OWNER", account.id);
  }, 120_000);
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  const made = (operation: Operation) => victim.made.get(operation.id)?.body;
  const idOf = (type: ObjectType): string | number => {
    const { operations, idField } = kinds[type];
    return type === "check" ? victim.made.get("createApiCheck")?.body.id : made(operations.create)[idField];
  };
  const read = (type: ObjectType, as?: string) => {
    const { find } = kinds[type].operations;
    const path = find.path.replace(/\{\w+\}/, String(idOf(type)));
    return plane.call("GET", path, as === undefined ? {} : { key: as });
  };
  const deploy = (resources: readonly object[], query = "?dryRun=true") =>
    plane.call("POST", `/next-v2/projects/deploy${query}`, { key, body: { project: { logicalId: "mine", name: "Mine" }, resources } });

  it.each(types)("cannot refer to one of type %s", async (type) => {
    const answer = await deploy([{ logicalId: "theirs", type, physicalId: idOf(type), member: false }]);
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(`names no ${type} of this account`) } });
  });

  it.each(types)("takes over none of type %s: it makes its own", async (type) => {
    const before = await read(type);
    expect(before.status).toBe(200);
    const answer = await deploy(
      [{ logicalId: "theirs", type, physicalId: idOf(type), payload: payloads[type] }],
      "?scheduleOnDeploy=false",
    );
    expect(answer).toMatchObject({ status: 200, body: { diff: [{ type, action: "CREATE" }] } });
    expect(answer.body.diff[0].physicalId).not.toBe(idOf(type));
    expect((await read(type)).text).toBe(before.text);
    expect((await read(type, key)).status).toBe(404);
    // The next deployment names nothing, and deletes what is its own alone.
    expect((await deploy([], "")).body.diff).toMatchObject([{ type, action: "DELETE" }]);
    expect((await read(type)).text).toBe(before.text);
  });

  const service = () => ({
    serviceId: idOf("status-page-service"),
    severity: "MAJOR",
    name: "Down",
    description: "",
    notifySubscribers: false,
  });
  it.each<[what: string, field: string, resources: () => readonly object[]]>([
    ["a check's group", "groupId", () => [of("check", { ...check, groupId: idOf("check-group") })]],
    [
      "a check's private location",
      "privateLocations",
      () => [of("check", { ...check, privateLocations: [made(kinds["private-location"].operations.create).slugName] })],
    ],
    ["a check's incident", "triggerIncident", () => [of("check", { ...check, triggerIncident: service() })]],
    [
      "a check's alert channel",
      "alertChannelSubscriptions",
      () => [
        of("check", check),
        of("alert-channel-subscription", { checkId: { ref: "check" }, alertChannelId: idOf("alert-channel"), activated: true }),
      ],
    ],
    [
      "a group's alert channel",
      "alertChannelSubscriptions",
      () => [
        of("check-group", payloads["check-group"]),
        of("alert-channel-subscription", { groupId: { ref: "check-group" }, alertChannelId: idOf("alert-channel"), activated: true }),
      ],
    ],
    [
      "a page's service",
      "services",
      () => [of("status-page", { ...payloads["status-page"], cards: [{ name: "All", services: [{ id: idOf("status-page-service") }] }] })],
    ],
  ])("cannot name %s by its id", async (_what, field, resources) => {
    const { status, body } = await deploy(resources());
    expect([400, 404]).toContain(status);
    expect(JSON.stringify(body)).toContain(field);
  });
});

function of(type: string, payload: object): object {
  return { logicalId: type, type, payload };
}
