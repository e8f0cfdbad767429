import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPasswords, type Derive } from "../../../../src/control-plane/console/sign-in/password.ts";
import { passwordProblem } from "../../../../src/control-plane/console/sign-in/password-rules.ts";
import { returnTo } from "../../../../src/control-plane/console/sign-in/return-to.ts";

describe("a stored password", () => {
  it("opens by the same text alone, also where it was typed on another keyboard", async () => {
    const passwords = createPasswords();
    const stored = await passwords.hash("caf\u00e9 with a view");
    expect(stored).toMatch(/^scrypt:15:8:3:[\w-]{22}:[\w-]{43}$/);
    expect(await passwords.verify("cafe\u0301 with a view", stored)).toBe(true);
    expect(await passwords.verify("cafe with a view", stored)).toBe(false);
    expect(await passwords.hash("caf\u00e9 with a view")).not.toBe(stored);
  }, 120_000);

  it("takes the same work to compare whether there is one, none, or a damaged one", async () => {
    const work: unknown[] = [];
    const derive: Derive = async (_password, salt, length, options) => {
      work.push({ salt: salt.length, length, ...options });
      return new Uint8Array(length);
    };
    const passwords = createPasswords(derive);
    const stored = await passwords.hash("x");
    expect([await passwords.verify("x", stored), await passwords.verify("x", null), await passwords.verify("x", "damaged")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(work).toHaveLength(4);
    expect(new Set(work.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  it("is compared two at a time, and beyond a queue not at all", async () => {
    const gate = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    const passwords = createPasswords(async (_password, _salt, length) => {
      running += 1;
      most = Math.max(most, running);
      await gate.promise;
      running -= 1;
      return new Uint8Array(length);
    });
    const asked = Array.from({ length: 100 }, () => passwords.verify("x", null));
    gate.resolve();
    const ends = await Promise.allSettled(asked);
    expect([most, ends.filter(({ status }) => status === "fulfilled").length]).toEqual([2, 66]);
    expect(ends.find((end) => end.status === "rejected")).toMatchObject({ reason: { code: "unavailable" } });
    expect(await passwords.verify("x", null)).toBe(false);
  });
});

describe("a new password", () => {
  it.each([
    ["short one", /at least 12 characters/],
    ["x".repeat(201), /at most 200/],
    ["aaaaaaaaaaaab", /different characters/],
    ["password1234", /too common/],
    ["Password!!!!", /too common/],
    ["passwordpassword", /too common/],
    ["!!letmein!!2024", /too common/],
    ["admin-admin-2026", /too common/],
    ["welcome_password1", /too common/],
    ["123456789012", /too common/],
    ["1q2w3e4r5t6y", /too common/],
    ["Ada.Lovelace@example.com", /your name or your e-mail/],
    ["ada.lovelace", /your name or your e-mail/],
  ])("%s is refused", (password, reason) => {
    expect(passwordProblem(password, ["Ada", "ada.lovelace@example.com"])).toMatch(reason);
  });

  it.each(["correct horse battery staple", "kT9#vQ2!mZ7p", "password manager made this", "Müsli um halb neun"])(
    "%s will do",
    (password) => {
      expect(passwordProblem(password, ["Ada", "ada@example.com"])).toBeUndefined();
    },
  );
});

describe("where a sign-in leads", () => {
  it("is where one wanted to go", () => {
    expect(["/", "/members?done=x#y", "/checks/a%20b"].map(returnTo)).toEqual(["/", "/members?done=x#y", "/checks/a%20b"]);
    expect([null, "", "members"].map(returnTo)).toEqual(["/", "/", "/"]);
  });

  it("is never another host, whatever is asked for", () => {
    const parts = fc.constantFrom("/", "\\", "//", ".", "..", "@", ":", "evil.example", "\t", "\n", "%2f", "%5c", "?", "#", "http:", " ");
    const anything = fc.oneof(
      fc.string(),
      fc.array(parts, { maxLength: 8 }).map((list) => `/${list.join("")}`),
    );
    fc.assert(
      fc.property(anything, (given) => {
        expect(new URL(returnTo(given), "https://outpost.example").origin).toBe("https://outpost.example");
      }),
    );
  });
});
