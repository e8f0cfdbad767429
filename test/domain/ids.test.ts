import fc from "fast-check";
import { expect, it } from "vitest";
import { Uuid } from "#contract/primitives.ts";
import { partsOf, uuidFrom } from "#domain/ids.ts";

const slot = fc.nat({ max: 4_095 });
const ms = fc.nat({ max: 2 ** 48 - 1 });
const n = fc.oneof(fc.nat(), fc.maxSafeNat());

it("carries slot, time and number there and back, as a UUID that the contract takes", () => {
  fc.assert(
    fc.property(slot, ms, n, (slotOf, msOf, nOf) => {
      const uuid = uuidFrom(slotOf, msOf, nOf);
      expect(Uuid.safeParse(uuid).success).toBe(true);
      expect(partsOf(uuid)).toEqual({ slot: slotOf, ms: msOf, n: nOf });
      expect(partsOf(uuid.toUpperCase())).toEqual({ slot: slotOf, ms: msOf, n: nOf });
    }),
  );
});

it("sorts by time", () => {
  fc.assert(
    fc.property(ms, ms, slot, n, (a, b, slotOf, nOf) => {
      expect(uuidFrom(slotOf, a, nOf) < uuidFrom(slotOf, b, nOf)).toBe(a < b);
    }),
  );
});

it.each([
  "",
  "x",
  crypto.randomUUID(),
  "00000000-0000-7000-8000-000000000000",
  "00000000-0000-8000-bfff-ffffffffffff",
  "00000000-0000-8000-8fff-ffffffffffff",
])("knows %s as none of its own", (uuid) => {
  expect(partsOf(uuid)).toBeNull();
});

it.each([
  [4_096, 0, 0],
  [0, -1, 0],
  [0, 0, 2 ** 53],
  [0, 0.5, 0],
])("refuses %i %i %i", (...parts) => {
  expect(() => uuidFrom(...(parts as [number, number, number]))).toThrow(RangeError);
});
