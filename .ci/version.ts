// The hooks of `npm version`: `version.ts <new> <old> --check` before anything is written (preversion), then without the flag (version)
// the files that carry the version beside package.json. npm commits and tags what is staged here.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { releasedChangelog } from "./changelog.ts";
import { chartAt, isLater, namesAt } from "./versions.ts";

const [version = "", before = "", flag] = process.argv.slice(2);
const isCheck = flag === "--check";
const charts = ["charts/agent/Chart.yaml", "charts/control-plane/Chart.yaml"];

try {
  if (version === "") throw new Error("Call it as `npm version 1.2.0`: npm tells the version to its hooks.");
  if (!isLater(version, before)) throw new Error(`The version must be later than ${before}, not ${version}.`);
  const untidy = isCheck ? git("status", "--porcelain").trim() : "";
  if (untidy !== "") throw new Error(`A release is made from a clean tree. Commit or remove:\n${untidy}`);
  const missing = charts.filter((path) => !existsSync(path));
  if (missing.length > 0) throw new Error(`${missing.join(" and ")} not found: call it in the root of the repository.`);
  const files = new Map([
    ["CHANGELOG.md", releasedChangelog(readFileSync("CHANGELOG.md", "utf8"), version, new Date().toISOString().slice(0, 10))],
    ...charts.map((path): [string, string] => [path, chartAt(readFileSync(path, "utf8"), path, version)]),
    ...namingFiles().map((path): [string, string] => [path, namesAt(readFileSync(path, "utf8"), before, version)]),
  ]);
  if (!isCheck) {
    for (const [path, text] of files) writeFileSync(path, text);
    git("add", ...files.keys());
    process.stdout.write(`${[...files.keys()].join(", ")}: ${version}. Next: git push --follow-tags; the tag makes the release.\n`);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** What tells operators which image or chart to take. */
function namingFiles(): string[] {
  const pages = ["README.md", "compose.yaml", "Dockerfile", "docs/operations", "docs/runtimes.md", "charts/*.md"];
  return git("ls-files", ...pages)
    .split("\n")
    .filter((path) => path !== "");
}

function git(...args: string[]): string {
  return execFileSync("git", args, { encoding: "utf8" });
}
