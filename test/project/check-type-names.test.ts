import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { typeNameProblems } from "./check-type-names.ts";

describe("names of check types", () => {
  it("are asked for nowhere but where types are at home", () => {
    const files = globSync("**/*.ts", { cwd: "src" });
    expect(files.flatMap((file) => typeNameProblems(file, readFileSync(`src/${file}`, "utf8")))).toEqual([]);
  });

  it.each([
    'if (check.type === "HEARTBEAT") return;',
    'const isApi = "API" === type;',
    'switch (type) { case "ICMP": }',
    '.where("type", "!=", "HEARTBEAT")',
    'eb("type", "in", ["API", "URL"])',
    'const httpTypes: ReadonlySet<string> = new Set(["API", "URL"]);',
    'if (["TCP", "DNS"].includes(check.checkType)) return;',
  ])("would be noticed in %s", (line) => {
    expect(typeNameProblems("control-plane/x.ts", `const a = 1;\n${line}\n`)).toEqual([
      expect.stringContaining("control-plane/x.ts:2: ask for a trait"),
    ]);
  });

  it.each([
    'if (transport === "TCP") return;',
    'const types = { API: "API check" };',
    'type Http = CheckRunner<"API">;',
    'providers.push("API");',
  ])("are other things in %s", (line) => {
    expect(typeNameProblems("control-plane/x.ts", line)).toEqual([]);
  });
});
