import { type Html, html } from "../view/html.ts";
import { csrfField } from "./form-guard.ts";

/** What is wrong with a form: by the name of the field, or with the whole under an empty name. */
export type FormProblems = Readonly<Record<string, string | undefined>>;

export interface FieldView {
  readonly name: string;
  /** Where one page has several of the same name. */
  readonly id?: string;
  readonly label: string;
  readonly type?: "text" | "email" | "password" | "datetime-local" | "date";
  readonly value?: string | undefined;
  readonly hint?: string | undefined;
  readonly autocomplete: string;
  readonly problems?: FormProblems;
  /** The cursor begins here, unless another field is wrong. */
  readonly isFirst?: boolean;
  /** It may stay empty. */
  readonly isOptional?: boolean;
  /** 500 unless told. */
  readonly maxLength?: number;
  /** Which keys a phone shows. */
  readonly inputMode?: "numeric";
}

/** A code of an authenticator app. */
export function codeField(view: Pick<FieldView, "id" | "label" | "hint" | "problems" | "isFirst">): Html {
  return field({ ...view, name: "code", autocomplete: "one-time-code", maxLength: 20, inputMode: "numeric" });
}

/** A label, its input, and what is wrong with it. What was typed stays, passwords never. */
export function field(view: FieldView): Html {
  const { name, id = name, label, hint, problems = {} } = view;
  const problem = problems[name];
  return html`<div class="field">
<label for="${id}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${problem !== undefined && html`<p class="problem" id="${id}-problem">${problem}</p>`}
${input(view, problem)}
</div>`;
}

function input(view: FieldView, problem?: string): Html {
  const { name, id = name, type = "text", value, autocomplete, maxLength = 500, inputMode } = view;
  const attributes = [
    type !== "password" && html` value="${value}"`,
    inputMode !== undefined && html` inputmode="${inputMode}"`,
    type !== "text" && html` autocapitalize="none" spellcheck="false"`,
    ...standing(view, problem),
  ];
  return html`<input id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}" maxlength="${maxLength}"${attributes}>`;
}

/** Whether it must be filled in, is wrong, and has the cursor. */
function standing(
  { name, id = name, hint, problems, isFirst = false, isOptional = false }: FieldView,
  problem?: string,
): readonly (Html | false)[] {
  const described = [hint !== undefined && `${id}-hint`, problem !== undefined && `${id}-problem`].filter((one) => one !== false);
  return [
    !isOptional && html` required`,
    described.length > 0 && html` aria-describedby="${described.join(" ")}"`,
    problem !== undefined && html` aria-invalid="true"`,
    (problem !== undefined || (isFirst && !isFieldWrong(problems))) && html` autofocus`,
  ];
}

/** Rather than the whole, where any field may be the one. */
function isFieldWrong(problems: FormProblems = {}): boolean {
  return Object.entries(problems).some(([name, problem]) => name !== "" && problem !== undefined);
}

export function hasProblem(problems: FormProblems = {}): boolean {
  return Object.values(problems).some((problem) => problem !== undefined);
}

export interface SelectView {
  readonly name: string;
  /** Where one page has several of the same name. */
  readonly id?: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  /** The label is for readers of the screen only. */
  readonly isLabelHidden?: boolean;
}

export function select({ name, id = name, label, value, options, isLabelHidden = false }: SelectView): Html {
  return html`<div class="field"><label for="${id}"${isLabelHidden && html` class="hidden"`}>${label}</label>
<select id="${id}" name="${name}">${options.map(
    ([key, text]) => html`<option value="${key}"${key === value && html` selected`}>${text}</option>`,
  )}</select></div>`;
}

/** A form that is sent by POST with its token. */
export function postForm(action: string, csrf: string, content: Html, className = "", id = ""): Html {
  return html`<form method="post" action="${action}"${id !== "" && html` id="${id}"`}${className !== "" && html` class="${className}"`}>
<input type="hidden" name="${csrfField}" value="${csrf}">
${content}
</form>`;
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

/** What is wrong with the whole, above the form. */
export function problemBox(text: string | undefined): Html | false {
  return text !== undefined && html`<p class="box bad" role="alert">${text}</p>`;
}
