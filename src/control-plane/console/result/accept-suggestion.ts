import { type CheckResult, getCheckResult } from "#contract/check-results.ts";
import { getCheckV1, updateCheck } from "#contract/checks/operations.ts";
import type { ScriptSuggestion } from "#contract/checks/playwright-run.ts";
import { AppError } from "#domain/app-error.ts";
import { roleAllows } from "#domain/key.ts";
import { mask } from "#domain/scrub/scrub-stream.ts";
import { agenticRunTexts } from "../../texts/agentic-run.ts";
import { scriptRunTexts } from "../../texts/script-run.ts";
import { type Html, html } from "../../view/html.ts";
import type { Ask } from "../ask.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";

/** Takes over what a run suggested: a change of the check like any other, by whoever says so. */
export function suggestionPages(ask: Ask): readonly ConsolePage[] {
  return [
    {
      method: "POST",
      path: "/checks/{checkId}/results/{checkResultId}/suggestions/{number}",
      access: "write",
      answer: async (visit) => {
        const { checkId = "", checkResultId = "", number = "" } = visit.request.params;
        const result = await ask(visit, getCheckResult, { params: { checkId, checkResultId } });
        const index = /^\d{1,2}$/.test(number) ? Number(number) : -1;
        const line = scriptSuggestionsOf(result)[index];
        const prompt = result.agenticCheckResult?.suggestions[index]?.promptReplacement;
        if (line !== undefined) await takeOver(ask, visit, checkId, line);
        else if (prompt === undefined) throw new AppError("not_found", "this run suggests no such change");
        else await ask(visit, updateCheck, { params: { id: checkId }, body: { prompt } });
        return redirect(`/checks/${checkId}/edit`);
      },
    },
  ];
}

/** A line of a script as it could be. */
type Line = Pick<ScriptSuggestion, "line" | "before" | "after">;

/** @throws {AppError} conflict where the line is not there any more */
export async function takeOver(ask: Ask, visit: Visit, checkId: string, line: Line): Promise<void> {
  const script = withLine(await ask(visit, getCheckV1, { params: { id: checkId } }), line);
  await ask(visit, updateCheck, { params: { id: checkId }, body: { script } });
}

/** A form for each suggestion that can be taken over. */
export function acceptForm({ role, csrf }: Visit, result: CheckResult): (number: number) => Html {
  const { id, checkId } = result;
  const { question, accept } = (result.agenticCheckResult === null ? scriptRunTexts : agenticRunTexts).suggestions;
  return (number) =>
    roleAllows(role, "write") && !isMasked(scriptSuggestionsOf(result)[number])
      ? confirmedAction(csrf, `/checks/${checkId}/results/${id}/suggestions/${number}`, question, accept, "")
      : html``;
}

/** A suite's files are no script of the check. */
function scriptSuggestionsOf({ browserCheckResult, multiStepCheckResult }: CheckResult): readonly ScriptSuggestion[] {
  return (browserCheckResult ?? multiStepCheckResult)?.suggestions ?? [];
}

/** A line of a result has secrets masked, and a script must not get the mask. */
function isMasked(suggestion: Line | undefined): boolean {
  return suggestion?.after.includes(mask) === true;
}

/** Where its group puts code before a script, lines of a run have other numbers. @throws {AppError} conflict where the line is not there any more */
function withLine(check: object, suggestion: Line): string {
  const script = "script" in check && typeof check.script === "string" ? check.script : "";
  const lines = script.split("\n");
  const { line, before, after } = suggestion;
  const same = lines.flatMap((text, index) => (text === before ? index : []));
  const index = same.includes(line - 1) ? line - 1 : same.length === 1 ? same[0] : undefined;
  if (index === undefined || isMasked(suggestion))
    throw new AppError("conflict", "the script has changed since this run, so the line that it suggests is not put into it");
  return lines.with(index, after).join("\n");
}
