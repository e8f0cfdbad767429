import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mergeConfig } from "vitest/config";
import whole from "./vitest.config.ts";

const root = join(import.meta.dirname, "..");
const named = globSync("test/**/*.test.ts", { cwd: root, exclude: ["**/node_modules/**", "test/faults/cases.test.ts"] }).filter((file) =>
  /[("][LSPCHBMEU]-\d\d/.test(readFileSync(join(root, file), "utf8")),
);
const { projects: _projects, ...test } = whole.test ?? {};

/** `npm run test:faults`: the tests of fault cases, and the table of them. */
export default mergeConfig(
  { ...whole, test },
  { test: { include: named, testNamePattern: /[LSPCHBMEU]-\d\d/, reporters: [join(root, "test/faults/report.ts")] } },
);
