import { expect, it } from "vitest";
import { createInvitationLimits } from "../../../../src/control-plane/console/people/invitation-limits.ts";

it("invitations are mailed 50 times in an hour from an account, and 5 times in a day to one mailbox, whoever sends them", () => {
  let now = 0;
  const count = createInvitationLimits(() => now);
  for (const account of ["a", "a", "b", "b", "c"]) expect(count(account, "Bob@example.com")).toBeUndefined();
  expect(count("d", "bob@EXAMPLE.com")).toEqual({ limit: "mailbox", seconds: 86_400 });
  for (let n = 2; n < 50; n += 1) expect(count("a", `${n}@example.com`)).toBeUndefined();
  expect(count("a", "51@example.com")).toEqual({ limit: "account", seconds: 3_600 });
  expect(count("b", "51@example.com")).toBeUndefined();
  now = 3_600_000;
  expect(count("a", "51@example.com")).toBeUndefined();
  expect(count("a", "bob@example.com")).toEqual({ limit: "mailbox", seconds: 82_800 });
  now = 86_400_000;
  expect(count("a", "bob@example.com")).toBeUndefined();
});
