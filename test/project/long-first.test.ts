import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { longest } from "../support/long-first.ts";

it("the files that are begun first are there, each once", () => {
  const files = longest.map((name) => join(import.meta.dirname, "..", `${name}.test.ts`));
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
  expect(new Set(files).size).toBe(files.length);
});
