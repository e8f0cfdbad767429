import type { ProbeFailure } from "../runners/check-runner.ts";
import type { TreeLimits } from "../sandbox/keep-tree.ts";
import type { PlaywrightTask } from "./playwright-engine.ts";
import { nothingTold, type Report } from "./told.ts";
import type { TreeEnd } from "./told-ends.ts";

const megabyte = 1024 * 1024;

/** What Playwright reported. */
interface ToldRun {
  readonly report: Report;
  /** As people read them, without folders of this agent. */
  readonly errors: readonly { readonly message: string }[];
}

/** Why there is no verdict of tests, or null. */
export function failureOf(
  end: TreeEnd,
  told: ToldRun,
  { limitMs }: Pick<PlaywrightTask, "limitMs">,
  limits: TreeLimits,
  tree: { readonly errors: string },
): ProbeFailure | null {
  switch (end.how) {
    case "told":
      return toldFailure(told);
    case "late":
      return { code: "ETIMEDOUT", message: `the script did not end within ${limitMs / 1000} s`, side: "target" };
    case "memory":
      return { code: "ESCRIPT", message: `your check used more than ${limits.memoryBytes / megabyte} MB`, side: "target" };
    case "processes":
      return { code: "ESCRIPT", message: `your check had more than ${limits.processes} processes`, side: "target" };
    case "folder":
      return { code: "ESCRIPT", message: `your check wrote more than ${limits.folderBytes / megabyte} MB of files`, side: "target" };
    case "too-long":
      return { code: "ESCRIPT", message: "your check told more than an agent reads", side: "target" };
    case "cut-off":
      return { code: "ESCRIPT", message: "the run's way into the network ended", side: "agent" };
    case "ended":
      return { code: "ESCRIPT", message: `Playwright ended without a word: ${tellingLine(tree.errors)}`, side: "agent" };
  }
}

function toldFailure({ report, errors: [first] }: ToldRun): ProbeFailure | null {
  if (report === nothingTold) return { code: "ESCRIPT", message: "Playwright told nothing that can be read", side: "agent" };
  if (report.tests.length > 0) return null;
  const why = first === undefined ? "no tests in this script" : (first.message.split("\n")[0] ?? "");
  return { code: "ESCRIPT", message: /No tests found/.test(why) ? "no tests in this script" : why.slice(0, 1_000), side: "target" };
}

/** What Node.js says of an error nobody caught stands before its stack; else what was said last. */
function tellingLine(text: string): string {
  const lines = text.trim().split("\n");
  return (lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1) ?? "").slice(0, 300);
}
