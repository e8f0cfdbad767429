import { afterAll, beforeAll, expect, it } from "vitest";
import { storedCheckTypes } from "#contract/checks/stored-types.ts";
import { createCheck } from "../../../src/control-plane/rest/checks.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";

let plane: ControlPlaneUnderTest;
beforeAll(async () => {
  plane = await controlPlaneUnderTest();
});
afterAll(() => plane[Symbol.asyncDispose]());

it("is after the check was made, however long that takes: a check has no slot before it", async () => {
  const startMs = Date.now();
  let asked = 0;
  const nowMs = (): number => startMs + 60_000 * asked++;
  const { storage, hashOf } = plane.context;
  const body = storedCheckTypes.API.create.parse(apiCheck({ frequency: 0, frequencyOffset: 10 }));
  const sealing = { unseal: (sealed: string) => sealed };
  const check = await createCheck({ ...storage, hashOf, nowMs, sealing }, plane.account.id, body);
  expect(await storage.schedule.nextDueMs()).toBeGreaterThan(check.createdAtMs);
});
