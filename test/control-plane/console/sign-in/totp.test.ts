import { describe, expect, it } from "vitest";
import { base32, codeOf, stepAt, stepOfCode, totpAddress } from "../../../../src/control-plane/console/sign-in/totp.ts";

const secret = Buffer.from("12345678901234567890");

describe("codes of authenticator apps", () => {
  it.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("are those of RFC 6238, appendix B, at %i seconds", (seconds, code) => {
    expect(codeOf(secret, stepAt(seconds * 1_000))).toBe(code);
  });

  it("are good a step of time before and after, and no further", () => {
    const nowMs = 1_700_000_000_000;
    const now = stepAt(nowMs);
    const found = [-2, -1, 0, 1, 2].map((off) => stepOfCode(secret, codeOf(secret, now + off), nowMs));
    expect(found).toEqual([null, now - 1, now, now + 1, null]);
    expect(stepOfCode(secret, "", nowMs)).toBeNull();
  });

  it("are told to the app as RFC 4648 and its address ask", () => {
    expect(base32(secret)).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    expect(totpAddress(secret, "Outpost", "a+b@x.example")).toBe(
      "otpauth://totp/Outpost:a%2Bb%40x.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Outpost",
    );
  });
});
