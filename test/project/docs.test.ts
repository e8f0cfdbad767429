import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { withSettings } from "../../docs/settings.ts";

describe("README.md", () => {
  const readme = readFileSync("README.md", "utf8");

  it("lists the settings as the programs have them (npm run docs writes the tables)", () => {
    expect(withSettings(readme)).toBe(readme);
  });

  it("would notice a setting whose text changed", () => {
    const stale = readme.replace("`JOB_CONCURRENCY` | `10`", "`JOB_CONCURRENCY` | `11`");
    expect(stale).not.toBe(readme);
    expect(withSettings(stale)).not.toBe(stale);
  });
});
