import { runtimeIds } from "#contract/runtime-catalog.ts";
import { checkFieldTexts as texts } from "../../texts/check-fields.ts";
import { type Html, html } from "../../view/html.ts";
import type { CheckField } from "../check-types/check-field.ts";
import type { FormProblems } from "../form-view.ts";
import { shownText } from "./shown-text.ts";
import { valueAt } from "./value-at.ts";

export interface FieldContext {
  readonly body: Readonly<Record<string, unknown>>;
  /** The check before; null: it is made. */
  readonly stored: Readonly<Record<string, unknown>> | null;
  readonly problems: FormProblems;
  /** Numbers and names. */
  readonly snippets: readonly Option[];
  readonly groups: readonly Option[];
  /** Names of the account's variables, which scripts read. */
  readonly variables: readonly string[];
}

/** Of what is chosen by its number. */
export type Option = readonly [value: string, text: string];

/** Those that agents add to every run of a script (docs/scripts.md). */
const builtInVariables = [
  "ACCOUNT_ID",
  "CHECK_ID",
  "CHECK_NAME",
  "CHECK_TYPE",
  "CHECK_RESULT_ID",
  "CHECK_RUN_ID",
  "REGION",
  "RUNTIME_VERSION",
  "SERVICE",
];

/** A field of a check with its label, and what is wrong with it. */
export function fieldView(field: CheckField, context: FieldContext): Html {
  const { path, label, kind, hint } = field;
  const value = valueAt(context.body, path);
  if (kind === "flag") return flag(path, label, value === true);
  const problem = context.problems[path];
  const marks = html`${problem !== undefined && [html` aria-invalid="true"`, html` aria-describedby="${path}-problem"`]}`;
  return html`<div class="field"><label for="${path}">${label}</label>${hint !== undefined && html`<p class="hint">${hint}</p>`}
${problem !== undefined && html`<p class="problem" id="${path}-problem">${problem}</p>`}${input(field, kind, value, marks, context)}</div>`;
}

export function flag(path: string, label: string, isOn: boolean): Html {
  return html`<label class="flag"><input type="checkbox" name="${path}"${isOn && html` checked`}> ${label}</label>`;
}

function input(field: CheckField, kind: Exclude<CheckField["kind"], "flag">, value: unknown, marks: Html, context: FieldContext): Html {
  const { path, options = [], optionTexts = {}, between = ":" } = field;
  const stored = valueAt(context.stored, path);
  const text = shownText(field, value, stored);
  const line = (content: string): Html =>
    html`<input id="${path}" name="${path}" value="${content}" autocomplete="off" spellcheck="false"${marks}>`;
  // A line break that begins the content is the markup's own.
  const area = (rows: number, content: string, more: Html = html``): Html =>
    html`<textarea id="${path}" name="${path}" rows="${rows}"${more} spellcheck="false"${marks}>\n${content}</textarea>`;
  // What is stored stays also where the form does not know it.
  const choice = (all: readonly Option[]): Html =>
    html`<select class="short" id="${path}" name="${path}"${marks}>${withCurrent(all, text).map(([key, shown]) => html`<option value="${key}"${key === text && html` selected`}>${shown}</option>`)}</select>`;
  const inputs: Readonly<Record<typeof kind, () => Html>> = {
    text: () => line(text),
    list: () => line(text),
    number: () => html`<input class="short" id="${path}" name="${path}" inputmode="decimal" value="${text}" autocomplete="off"${marks}>`,
    area: () => area(5, text),
    code: () => area(field.within === undefined ? 18 : 8, text, scriptMarks(context)),
    pairs: () => area(3, text, html` data-between="${between}" data-words="${JSON.stringify(texts.pairs)}"`),
    password: () => {
      const typed = value === stored ? "" : text;
      return html`<input id="${path}" name="${path}" type="password" value="${typed}" autocomplete="new-password"${marks}>`;
    },
    group: () => choice([["", texts.noGroup], ...context.groups]),
    choice: () => choice(options.map((one) => [one, optionTexts[one] ?? (one === "" ? texts.unset : one)])),
    runtime: () => choice([["", texts.accountRuntime], ...runtimeIds.map((id): Option => [id, id])]),
    snippet: () => choice([["", texts.noSnippet], ...context.snippets]),
  };
  return inputs[kind]();
}

/** For the editor of scripts. */
function scriptMarks({ variables }: FieldContext): Html {
  return html` class="code" data-words="${texts.words}" data-variables="${[...builtInVariables, ...variables].join(" ")}"`;
}

function withCurrent(options: readonly Option[], current: string): readonly Option[] {
  return options.some(([value]) => value === current) || current === "" ? options : [...options, [current, current]];
}

/** What is wrong with several inputs together. */
export function problemLine(problem: string | undefined): Html | false {
  return problem !== undefined && html`<p class="problem">${problem}</p>`;
}
