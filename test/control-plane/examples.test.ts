import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Operation } from "#contract/operation.ts";
import { operations } from "#contract/operations.ts";
import { enginesUnderTest } from "../support/engines.ts";
import type { Answer } from "./call.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "./control-plane-under-test.ts";
import { ExampleWorld } from "./example-world.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});
const all: readonly Operation[] = operations;
const deletes = all.filter(({ method }) => method === "DELETE");
const others = all.filter(({ method }) => method !== "DELETE");
/** What others hang on goes last. */
const deletedLast = [
  "deleteDashboard",
  "deleteStatusPage",
  "deleteStatusPageService",
  "deleteCheck",
  "deleteCheckGroup",
  "deletePrivateLocation",
];
const order = ({ id, path }: Operation): number => deletedLast.indexOf(id) * 100 - path.split("/").length;

describe.each(engines.list)("the examples of the documentation on $name", (engine) => {
  let plane: ControlPlaneUnderTest;
  let world: ExampleWorld;
  beforeAll(async () => {
    const url = await engine.databaseUrl();
    plane = await controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
    world = await ExampleWorld.build(plane);
  }, 120_000);
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  // The server under test refuses to give an answer outside the operation's schema.
  const problemOf = ({ successStatus }: Operation, { status, text }: Answer): string =>
    status === successStatus ? "" : `${status} ${text}`;

  it.each(others)("$id: $method $path", async (operation) => {
    expect(problemOf(operation, world.made.get(operation.id) ?? (await world.call(operation)))).toBe("");
  });

  it("can be followed to the end: every object that was made is deleted", async () => {
    for (const operation of deletes.toSorted((a, b) => order(a) - order(b))) {
      expect([operation.id, problemOf(operation, await world.call(operation))]).toEqual([operation.id, ""]);
    }
  });
});
