import type { PlaywrightError, ScriptSuggestion } from "#contract/checks/playwright-run.ts";
import { type FailedTest, scriptSuggestions } from "#domain/script-suggestions.ts";
import { createScrubber } from "#domain/scrub/scrubber.ts";
import type { PlaywrightTask } from "./playwright-engine.ts";
import { type KeptFile, readBeginning } from "./run-files.ts";
import type { Report } from "./told.ts";

/** Playwright attaches the page to a test that failed, as text. */
const pageFile = /^error-context(?:-\d+)?\.md$/;
const [mostErrors, mostPageBytes] = [5, 65_536];

/** What could be changed in a script that failed, by what its run saw. @param errors those of the report, in its order */
export async function suggestionsOf(
  { script, scriptPath, secrets, lead }: PlaywrightTask,
  report: Report,
  errors: readonly PlaywrightError[],
  files: readonly KeptFile[],
): Promise<ScriptSuggestion[]> {
  if (lead !== undefined) return []; // nobody wrote that script
  const scrubber = createScrubber(secrets);
  const failed = await Promise.all(
    errors.slice(0, mostErrors).map(async ({ message, location }, index): Promise<FailedTest> => {
      const test = report.errors[index]?.test;
      const page = files.find((file) => file.test === test && pageFile.test(file.name));
      const text = page !== undefined && "file" in page.content ? await readBeginning(page.content.file, mostPageBytes) : null;
      return { message, location, page: text };
    }),
  );
  return scriptSuggestions({ script, scriptPath }, failed, (text) => scrubber.scrubText(text) === text);
}
