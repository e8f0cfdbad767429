import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runtimesFolder } from "../../support/playwright-runtime.ts";
import { missing } from "./engine-under-test.ts";

const require = createRequire(import.meta.url);
const { withLaterLoads } = require("../../../src/agent/playwright/inside/load-later.cjs") as { withLaterLoads: (text: string) => string };

describe("what a file of Playwright needs", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "outpost-later-"));
    writeFileSync(
      join(folder, "part.js"),
      `exports.loads = (globalThis.laterLoads ??= []).push("part"); exports.twice = (n) => 2 * n;
exports.Base = class { name() { return "base"; } };`,
    );
    writeFileSync(join(folder, "setImpl.js"), `(globalThis.laterLoads ??= []).push("set"); exports.json5 = { parse: () => "parsed" };`);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function load(text: string): { readonly [name: string]: unknown } {
    const made = { exports: {} };
    compileFunction(withLaterLoads(text), ["module", "exports", "require"])(made, made.exports, createRequire(join(folder, "file.js")));
    return made.exports;
  }

  it("is loaded once, when it is first used", () => {
    const loads: string[] = [];
    Object.assign(globalThis, { laterLoads: loads });
    const { six, spread, made, text } = load(`"use strict";
var import_part = require("./part");
class Own extends import_part.Base {}
exports.six = () => import_part.twice(3);
exports.spread = () => ({ ...import_part, import_part: 1 });
exports.made = () => [new import_part.Base().name(), new Own().name(), (0, import_part.twice)(2)];
exports.text = "import_part and 'import_part'";
`) as { six: () => number; spread: () => object; made: () => unknown; text: string };
    expect(loads).toEqual(["part"]); // by the class above it
    expect([six(), made(), Object.keys(spread()), text]).toEqual([
      6,
      ["base", "base", 4],
      ["loads", "twice", "Base", "import_part"],
      "import_part and 'import_part'",
    ]);
    expect(loads).toEqual(["part"]);
  });

  it("is not loaded where nothing uses it, nor is a bundle of which nothing is taken", () => {
    const loads: string[] = [];
    Object.assign(globalThis, { laterLoads: loads });
    const { json5 } = load(`"use strict";
var import_part = require("./part");
const json5 = require("./setImpl").json5;
exports.json5 = () => json5.parse("{}");
`) as { json5: () => string };
    expect(loads).toEqual([]);
    expect(json5()).toBe("parsed");
    expect(loads).toEqual(["set"]);
  });

  it("stays as it is in files that are written otherwise", () => {
    for (const text of [
      '"use strict";\nvar _part = require("./part");\nexports.x = _part.twice(1);',
      'const text = `\nvar x = require("./part")`;',
      "",
    ])
      expect(withLaterLoads(text)).toBe(text);
  });
});

describe.skipIf(missing !== null)("each file of the newest runtime's Playwright", () => {
  it("is a program still, with the same lines", () => {
    const folder = join(runtimesFolder, "2026.04/node_modules/playwright");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (name) => /(?:^|\/)lib\/.*\.js$/.test(name) && !/generated|Impl\b|\/vite\//.test(name),
    );
    let changed = 0;
    for (const name of files) {
      const text = readFileSync(join(folder, name), "utf8");
      const made = withLaterLoads(text);
      if (made === text) continue;
      changed += 1;
      expect(made.split("\n").length).toBe(text.split("\n").length);
      expect(() => compileFunction(made, ["module", "exports", "require", "__filename", "__dirname"], { filename: name })).not.toThrow();
    }
    expect(changed).toBeGreaterThan(300);
  });
});
