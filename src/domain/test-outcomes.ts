import { PlaywrightCheckResult } from "#contract/checks/playwright.ts";
import type { PlaywrightTest } from "#contract/checks/playwright-run.ts";
import { isSuite } from "#contract/checks/traits.ts";
import type { CheckTypeName } from "#contract/primitives.ts";

/** What is kept of a test of a run beside the result's detail, which may go earlier. */
export type TestOutcome = Pick<PlaywrightTest, "project" | "file" | "line" | "title" | "status" | "durationMs">;

const Seen = PlaywrightCheckResult.pick({ tests: true });

/** Of a suite's run; empty for what is none. @param detail as an agent sent it */
export function testOutcomes(checkType: CheckTypeName, detail: unknown): readonly TestOutcome[] {
  if (!isSuite(checkType) || detail === null || detail === undefined) return [];
  const { data } = Seen.safeParse(detail);
  return (data?.tests ?? []).map(({ project, file, line, title, status, durationMs }) => ({
    project,
    file,
    line,
    title,
    status,
    durationMs,
  }));
}

/** Which test it is, from run to run: one that moves within its file stays the same. */
export function testKey({ project, file, title }: Pick<TestOutcome, "project" | "file" | "title">): string {
  return JSON.stringify([project ?? "", file, title]);
}
