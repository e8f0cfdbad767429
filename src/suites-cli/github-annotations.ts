import { errorsOf, hasFailed, printable, statusText } from "./outcome-text.ts";
import type { SuiteOutcome } from "./suite-outcome.ts";

/** GitHub shows ten of a step; the log has them all. */
const most = 50;

/**
 * Workflow commands that show failed tests at their lines
 * (https://docs.github.com/actions/reference/workflow-commands-for-github-actions#setting-an-error-message).
 *
 * @param pathOf of a file of the tests, as seen from the repository
 */
export function githubAnnotations(outcomes: readonly SuiteOutcome[], pathOf: (file: string) => string): readonly string[] {
  const annotations = outcomes.flatMap(({ status, reason, location, tests, errors }) => {
    const ofTests = tests.filter(hasFailed).map((test) => {
      const error = errorsOf(test, errors).at(-1);
      const at = error?.location ?? null;
      const place =
        at === null ? { file: pathOf(test.file), line: test.line ?? undefined } : { file: pathOf(at.file), line: at.line, col: at.column };
      return annotation({ ...place, title: `${test.title} (${location})` }, error?.message ?? `The test ${statusText(test.status)}`);
    });
    if (ofTests.length > 0 || status === "passed") return ofTests;
    const said = errors[0]?.message ?? reason ?? "The suite did not pass";
    return [annotation({ title: `The suite ${status === "notRun" ? "was not run" : "failed"} (${location})` }, said)];
  });
  return annotations.slice(0, most);
}

function annotation(properties: Readonly<Record<string, string | number | undefined>>, message: string): string {
  const told = Object.entries(properties).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${property(String(value))}`]));
  const lines = message.split(/\r?\n|\r/).map(printable);
  return `::error ${told.join(",")}::${data(lines.join("\n"))}`;
}

/** As the runner's own toolkit escapes (https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts). */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
