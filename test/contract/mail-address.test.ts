import { describe, expect, it } from "vitest";
import { MailAddress } from "#contract/primitives.ts";

describe("a mail address", () => {
  it.each([
    "ann@example.com",
    "ann.smith+status@mail.example.co.uk",
    "o'neil@example.com",
    "bounce+ann=example.org@example.com",
    "5=@qnhh.bzqdml9.dev",
    "#ops/alerts@example.com",
  ])("may be %s", (address) => {
    expect(MailAddress.safeParse(address).success).toBe(true);
  });

  it.each([
    "ann",
    "ann@localhost",
    "ann@-example.com",
    ".ann@example.com",
    "ann.@example.com",
    "an..n@example.com",
    "ann smith@example.com",
    "ann@example.com\r\nBcc: all@example.com",
    "ann@example.com,bob@example.com",
    '"ann"@example.com',
    "<ann@example.com>",
  ])("is not %j", (address) => {
    expect(MailAddress.safeParse(address).success).toBe(false);
  });

  it("is judged at once, however long and mean it is", () => {
    const began = performance.now();
    for (const mean of [
      "a".repeat(500_000),
      `a@${"a".repeat(500_000)}`,
      `a@${"a-".repeat(250_000)}`,
      "..".repeat(250_000),
      `${"a.".repeat(250_000)}@b`,
    ])
      expect(MailAddress.safeParse(mean).success).toBe(false);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
