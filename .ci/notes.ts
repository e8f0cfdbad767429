// Prints what the changelog says of a version: `node .ci/notes.ts 1.2.0`, or of Unreleased.
import { readFileSync } from "node:fs";
import { releaseNotes } from "./changelog.ts";

try {
  process.stdout.write(releaseNotes(readFileSync("CHANGELOG.md", "utf8"), process.argv[2] ?? "Unreleased"));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
