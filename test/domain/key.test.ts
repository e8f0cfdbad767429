import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { hashKey, keyKind, maskKey, newKey, roleAllows } from "#domain/key.ts";

it.each([
  ["user", "cu_"],
  ["service", "sv_"],
  ["location", "pl_"],
  ["session", "as_"],
] as const)("makes a %s key that it knows again", (kind, prefix) => {
  const raw = newKey(kind, randomBytes);
  expect(raw).toMatch(new RegExp(`^${prefix}[0-9a-f]{32}$`));
  expect(keyKind(raw)).toBe(kind);
  expect(maskKey(raw)).toBe(`...${raw.slice(-4)}`);
  expect(newKey(kind, randomBytes)).not.toBe(raw);
});

it.each(["", "cu_", `xx_${"0".repeat(32)}`, `cu_${"g".repeat(32)}`, `cu_${"0".repeat(33)}`])("knows %s as no key", (raw) => {
  expect(keyKind(raw)).toBeNull();
});

it("hashes by key and pepper (RFC 4231, case 2)", () => {
  expect(hashKey("Jefe", "what do ya want for nothing?")).toBe("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  expect(hashKey("other", "what do ya want for nothing?")).not.toBe(hashKey("Jefe", "what do ya want for nothing?"));
});

it.each([
  ["OWNER", [true, true, true, true]],
  ["ADMIN", [true, true, true, true]],
  ["READ_WRITE", [true, true, true, false]],
  ["READ_RUN", [true, true, false, false]],
  ["READ_ONLY", [true, false, false, false]],
  ["NOBODY", [false, false, false, false]],
  ["constructor", [false, false, false, false]],
])("%s may read, run, write, administer: %o", (role, expected) => {
  expect((["read", "run", "write", "admin"] as const).map((access) => roleAllows(role, access))).toEqual(expected);
});
