import { describe, expect, it } from "vitest";
import { createAttempts } from "../../../../src/control-plane/console/sign-in/attempts.ts";

function scene() {
  let now = 1_000_000;
  const attempts = createAttempts(() => now);
  return {
    pass: (seconds: number) => {
      now += seconds * 1_000;
    },
    begin: (address: string, subject: string | null, known?: string) => attempts.begin(address, subject, known),
    /** The seconds of the pause that refused it; 0 when it was counted. */
    fail: (address: string, subject: string | null): number => {
      const begun = attempts.begin(address, subject);
      return "pauseSeconds" in begun ? begun.pauseSeconds : 0;
    },
  };
}

describe("attempts", () => {
  it("on one subject get longer pauses, wherever they come from and however it is written, up to five minutes", () => {
    const { fail, pass } = scene();
    const pauses: number[] = [];
    for (let failures = 1; failures <= 12; failures += 1) {
      expect(fail(`address ${failures}`, failures % 2 === 0 ? "ADA\u0301@x" : "adá@x")).toBe(0);
      if (failures < 5) continue;
      pauses.push(fail(`address ${failures}`, "adá@x"));
      pass(pauses.at(-1) ?? 0);
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
    expect(fail("elsewhere", "bob@x")).toBe(0);
  });

  it("of one address get pauses of a minute at most, as a proxy stands for many", () => {
    const { fail, pass } = scene();
    for (let n = 0; n < 20; n += 1) expect(fail("proxy", `user ${n}`)).toBe(0);
    const pauses: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      pauses.push(fail("proxy", null));
      pass(pauses.at(-1) ?? 0);
      fail("proxy", null);
    }
    expect(pauses).toEqual([5, 10, 20, 40, 60, 60]);
    expect(fail("another", null)).toBe(0);
  });

  it("of one network of IPv6 are those of one address, as whoever has one there has all", () => {
    const { fail } = scene();
    for (let n = 1; n <= 20; n += 1) expect(fail(`2001:db8::${n}:1`, `user ${n}`)).toBe(0);
    expect([fail("2001:db8::ffff", null), fail("2001:db8:0:1::1", null), fail("::ffff:192.0.2.1", null)]).toEqual([5, 0, 0]);
  });

  it("that were right take their count back: of the subject all, of the address one", () => {
    const { fail, begin } = scene();
    for (let n = 0; n < 19; n += 1) fail("here", `user ${n % 5}`);
    const begun = begin("here", "user 0");
    expect("takeBack" in begun && begun.takeBack()).toBeUndefined();
    for (let n = 0; n < 4; n += 1) expect(fail(`there ${n}`, "user 0")).toBe(0);
    expect(fail("here", null)).toBe(0);
    expect(fail("here", null)).toBe(5);
  });

  it("in a browser that is known count for themselves, and hold up nobody elsewhere", () => {
    const { fail, begin } = scene();
    for (let n = 0; n < 30; n += 1) fail("here", "ada@x");
    expect(fail("here", "ada@x")).toBe(5);
    for (let n = 0; n < 5; n += 1) expect(begin("here", "ada@x", "hers")).toHaveProperty("takeBack");
    expect(begin("here", "ada@x", "hers")).toEqual({ pauseSeconds: 5 });
    expect(begin("there", "ada@x", "his")).toHaveProperty("takeBack");
  });

  it("are counted before they are looked at, so that many at once are no way around", () => {
    const { fail } = scene();
    const counted = Array.from({ length: 50 }, () => fail("here", "ada@x")).filter((pause) => pause === 0);
    expect(counted).toHaveLength(5);
  });

  it("are forgotten after an hour", () => {
    const { fail, pass } = scene();
    for (let n = 0; n < 5; n += 1) fail("here", "ada@x");
    pass(3_600);
    for (let n = 0; n < 5; n += 1) expect(fail("here", "ada@x")).toBe(0);
  });
});
