import { type Html, html } from "../view/html.ts";
import type { FormProblems } from "./form-view.ts";

interface TextAreaView {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly rows: number;
  readonly maxLength: number;
  readonly hint?: string | undefined;
  readonly isOptional?: boolean;
  /** For people, not for programs. */
  readonly isProse?: boolean;
  readonly problems?: FormProblems;
}

/** A text of several lines, with its label and what is wrong with it. */
export function textArea({
  name,
  label,
  value,
  rows,
  maxLength,
  hint,
  isOptional = false,
  isProse = false,
  problems = {},
}: TextAreaView): Html {
  const problem = problems[name];
  const described = [hint !== undefined && `${name}-hint`, problem !== undefined && `${name}-problem`].filter((id) => id !== false);
  // A line break that begins the content is the markup's own.
  return html`<div class="field"><label for="${name}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${problem !== undefined && html`<p class="problem" id="${name}-problem">${problem}</p>`}
<textarea id="${name}" name="${name}" rows="${rows}"${isProse && html` class="prose"`} maxlength="${maxLength}" autocomplete="off"${!isOptional && html` required`}${described.length > 0 && html` aria-describedby="${described.join(" ")}"`}${problem !== undefined && html` aria-invalid="true"`}>
${value}</textarea></div>`;
}

interface CheckboxView {
  readonly name: string;
  readonly label: string;
  readonly isOn: boolean;
  /** What is sent when it is on; also tells boxes of one name apart. */
  readonly value?: string;
}

export function checkbox({ name, label, isOn, value = "on" }: CheckboxView): Html {
  return html`<label class="tick"><input type="checkbox" name="${name}" value="${value}"${isOn && html` checked`}><span>${label}</span></label>`;
}

/** Boxes under one heading, and what is wrong with them. */
export function choices(title: string, boxes: readonly Html[], problem?: string): Html {
  return html`<fieldset><legend>${title}</legend>${problem !== undefined && html`<p class="problem" role="alert">${problem}</p>`}${boxes}</fieldset>`;
}
