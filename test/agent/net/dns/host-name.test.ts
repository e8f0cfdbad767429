import { describe, expect, it } from "vitest";
import { cleanHostName } from "../../../../src/agent/net/dns/host-name.ts";

describe("cleanHostName", () => {
  it.each([
    ["Core-1.Example.NET.", "core-1.example.net"],
    ["router", "router"],
    ["_gateway", "_gateway"],
  ])("takes %j as %j", (text, name) => {
    expect(cleanHostName(text)).toBe(name);
  });

  it.each(["", ".", "a..b", "<b>.test.", "a\\032b.test.", "-a.test.", "a\u001b[2J.test", "\u202eab.test", `${"a.".repeat(128)}`, "a b"])(
    "throws away %j, which no host is called",
    (text) => {
      expect(cleanHostName(text)).toBeNull();
    },
  );
});
