import { createCipheriv, hkdfSync, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createSealing, type SecretPlace } from "../../src/control-plane/keys/sealing.ts";

const pepper = "p".repeat(64);
const dataKey = { no: 3, key: randomBytes(32) };
const place: SecretPlace = { kind: "variable", accountId: 7, row: "TOKEN", field: "value" };
const sealing = createSealing(dataKey, pepper);

/** As releases before the envelope did. */
function sealedOld(secret: string): string {
  const key = new Uint8Array(hkdfSync("sha256", pepper, "", "outpost secrets of users", 32));
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const body = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return `sealed:v1:${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64")}`;
}

describe("a sealed secret", () => {
  it.each(["", "s3cret", "ключ 🔑", "x".repeat(65_536)])("opens in its place, and looks like no other", (secret) => {
    const [first, second] = [sealing.seal(secret, place), sealing.seal(secret, place)];
    expect([sealing.unseal(first, place), sealing.unseal(second, place)]).toEqual([secret, secret]);
    expect(first).not.toBe(second);
    expect(first).toMatch(/^sealed:v2:3:[A-Za-z0-9+/]+=*$/);
  });

  it.each([
    ["kind", { ...place, kind: "check" }],
    ["account", { ...place, accountId: 8 }],
    ["row", { ...place, row: "OTHER" }],
    ["field", { ...place, field: "values" }],
    ["borders between the two", { ...place, row: 'TOKEN","val', field: "ue" }],
  ])("does not open in a place of another %s", (_what, other) => {
    expect(sealing.unseal(sealing.seal("s3cret", place), other)).toBeNull();
  });

  it("does not open when it was altered, cut, or is under another key", () => {
    const sealed = sealing.seal("s3cret", place);
    const body = Buffer.from(sealed.slice("sealed:v2:3:".length), "base64");
    for (let index = 0; index < body.length; index += 1) {
      const altered = Buffer.from(body);
      altered[index] = (altered[index] ?? 0) ^ 1;
      expect(sealing.unseal(`sealed:v2:3:${altered.toString("base64")}`, place)).toBeNull();
    }
    for (const text of ["", "sealed:v2:3:", "sealed:v2:3:AAAA", sealed.slice(0, -12), sealed.replace(":3:", ":4:"), "s3cret"])
      expect(sealing.unseal(text, place)).toBeNull();
    expect(createSealing({ no: 3, key: randomBytes(32) }, pepper).unseal(sealed, place)).toBeNull();
  });

  it("of an earlier release opens anywhere, and is sealed anew for its place", () => {
    const old = sealedOld("s3cret");
    expect(sealing.unseal(old, place)).toBe("s3cret");
    const anew = sealing.renewed(old, place);
    expect([anew.startsWith("sealed:v2:3:"), sealing.unseal(anew, place), sealing.unseal(anew, { ...place, row: "x" })]).toEqual([
      true,
      "s3cret",
      null,
    ]);
    expect(sealing.renewed(anew, place)).toBe(anew);
  });

  it("of an earlier release that is lost stays as it is", () => {
    const old = sealedOld("s3cret");
    const other = createSealing(dataKey, "q".repeat(64));
    expect([other.unseal(old, place), other.renewed(old, place)]).toEqual([null, old]);
  });
});
