import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changedLines } from "./changed-lines.ts";

/*
 * `npm run test:mutants -- [revision]`: changes each line of src/ that differs from the revision (HEAD^ unless told), one mutation at a time, and
 * tells which no test of the quick tier notices. A survivor is a rule without a test, or code that nothing needs.
 */
const [base = "HEAD^"] = process.argv.slice(2);
const diff = execFileSync("git", ["diff", "--unified=0", "--diff-filter=AM", base, "--", "src"], { encoding: "utf8", maxBuffer: 2 ** 28 });
const lines = changedLines(diff).filter(({ file }) => file.endsWith(".ts") && !file.endsWith(".d.ts") && !file.includes("/pages/browser/"));
if (lines.length === 0) {
  process.stdout.write(`No line of src/ differs from ${base}.\n`);
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), "outpost-mutants-"));
const installed = new URL("node_modules/@stryker-mutator/", import.meta.url);
const settings = join(folder, "stryker.json");
writeFileSync(
  settings,
  JSON.stringify({
    testRunner: "vitest",
    vitest: { configFile: "test/mutants/vitest.config.ts", related: true },
    plugins: [new URL("vitest-runner/dist/src/index.js", installed).href],
    mutate: lines.map(({ file, from, to }) => `${file}:${from}-${to}`),
    coverageAnalysis: "perTest",
    ignoreStatic: true, // they run everything, and are mostly tables
    reporters: ["clear-text", "progress"],
    clearTextReporter: { reportTests: false, logTests: false },
    tempDirName: folder,
    tsconfigFile: "none", // TypeScript 7 has no API for what would be done with it
    allowEmpty: true,
  }),
);
try {
  const program = new URL("core/bin/stryker.js", installed).pathname;
  process.exitCode = spawnSync(process.execPath, [program, "run", settings], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
