import type { ScriptSuggestion } from "#contract/checks/playwright-run.ts";
import { oneLine } from "../alerting/plain-text.ts";
import type { PageElement } from "../page-elements.ts";
import { isUsable } from "../script-suggestions.ts";
import { mayBe, namedElements, onlyElement } from "../selector-element.ts";
import { selectorIn, withElement } from "../selector-line.ts";
import type { Evidence, EvidenceOf } from "./cause.ts";

/** Of a script that failed: what its run says of its own lines, and the page that it kept. */
export interface ScriptFacts {
  readonly script: string;
  readonly error: { readonly message: string; readonly file: string; readonly line: number } | null;
  /** As Playwright writes it down; null: none was kept. */
  readonly page: string | null;
  /** By rules, when it ran. */
  readonly suggestions: readonly ScriptSuggestion[];
}

/** A line of a script as it could be. */
export interface ScriptChange extends Pick<ScriptSuggestion, "file" | "line" | "before" | "after"> {
  readonly by: "rules" | "model";
  readonly why: string;
}

/** Of a page, as many as a model may choose from. */
const [mostElements, longestName] = [20, 200];

/** What a model may speak of: what rules suggest, and where a selector leads nowhere, which elements there are. */
export function scriptEvidence(facts: ScriptFacts | null, of: EvidenceOf): readonly Evidence[] {
  if (facts === null) return [];
  const suggested = facts.suggestions.map(({ file, line, before, after, summary }) => ({
    says: `Rules suggest for ${file}, line ${line}: ${oneLine(after, longestName)} in place of ${oneLine(before, longestName)}. ${summary}`,
    of,
  }));
  return [...suggested, ...elementsOf(facts).map(({ role, name }) => ({ says: elementWords(role, name), of }))];
}

function elementsOf({ page, error, suggestions }: ScriptFacts): readonly PageElement[] {
  const selector = error === null ? null : selectorIn(error.message);
  if (page === null || selector === null || suggestions.length > 0) return [];
  const fitting = namedElements(page).filter(({ role, name }) => isUsable(name) && mayBe(selector, role));
  return fitting.slice(0, mostElements);
}

function elementWords(role: string, name: string): string {
  return `The page had the ${role} “${name}”`;
}

/** The first that rules suggest; null: they suggest nothing. */
export function changeByRules(facts: ScriptFacts | null): ScriptChange | null {
  const [first] = facts?.suggestions ?? [];
  if (first === undefined) return null;
  const { file, line, before, after, summary } = first;
  return { file, line, before, after, by: "rules", why: summary };
}

/**
 * What becomes of the script where a model names an element of the page: it has to be there exactly once, and the failing selector exactly once in the script.
 * The line is put together here; of the model is only which element is meant, and why. @param says of the piece of evidence that it names
 */
export function changeByModel(facts: ScriptFacts | null, says: string, why: string): ScriptChange | null {
  const selector = facts?.error == null ? null : selectorIn(facts.error.message);
  if (facts?.error == null || facts.page === null || selector === null) return null;
  const named = elementsOf(facts).find(({ role, name }) => elementWords(role, name) === says);
  const element = named === undefined ? null : onlyElement(facts.page, named.role, named.name);
  if (element === null) return null;
  const changed = withElement(facts.script.split("\n"), facts.error.line, selector, element);
  return changed === null ? null : { file: facts.error.file, ...changed, by: "model", why };
}

/** As people and programs read differences. */
export function diffOf({ file, line, before, after }: ScriptChange): string {
  return `--- ${file}\n+++ ${file}\n@@ -${line} +${line} @@\n-${before}\n+${after}`;
}
