import { readFileSync } from "node:fs";
import type { PlaywrightType } from "../../../src/agent/playwright/playwright-engine.ts";
import type { FoundFile } from "../../../src/agent/runners/check-runner.ts";
import { EngineUnderTest } from "./engine-under-test.ts";

/** What a run came to, in a process of its own. */
export interface ChildRun {
  readonly outcome: string;
  readonly failure: string | null;
  readonly errors: readonly string[];
  readonly log: readonly string[];
  readonly files: readonly string[];
  /** Of them, zip files without an end. */
  readonly broken: readonly string[];
  /** Why the type does not run here. */
  readonly limitation: string | null;
  /** Folders of runs that are left. */
  readonly left: number;
}

const endOfZip = Buffer.from("PK\x05\x06");
function isWhole(content: FoundFile["content"]): boolean {
  if ("folder" in content) return true;
  return ("file" in content ? readFileSync(content.file) : content).includes(endOfZip);
}

/* An agent's part that runs one script: its arguments are the type and the script, its answer is a line of JSON. */
const [, , type = "", script = ""] = process.argv;
await using tested = await EngineUnderTest.start();
const limitation = [...tested.engine.offers.values()].map((offer) => offer.limitation)[0] ?? null;
if (![...tested.engine.offers.values()][0]?.types.includes(type as PlaywrightType)) {
  process.stdout.write(`${JSON.stringify({ outcome: "refused", limitation })}\n`);
  process.exit();
}
const run = await tested.run(type as PlaywrightType, script, { environment: { OUTSIDE: process.env["OUTSIDE"] ?? "" } });
await new Promise((resolve) => setTimeout(resolve, 1_000));
const told: ChildRun = {
  outcome: run.outcome,
  failure: run.failure?.message ?? null,
  errors: run.result.errors.map(({ message }) => message),
  log: run.result.jobLog.map(({ msg }) => msg),
  files: run.files.map(({ name }) => name),
  broken: run.files.filter(({ name, content }) => name.endsWith(".zip") && !isWhole(content)).map(({ name }) => name),
  limitation,
  left: tested.runFolders().length,
};
process.stdout.write(`${JSON.stringify(told)}\n`);
