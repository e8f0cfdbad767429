import type { EnvironmentVariable } from "#contract/variables.ts";
import { variableTexts as texts } from "../../texts/variables.ts";
import { type Html, html } from "../../view/html.ts";
import { checkbox, choices, textArea } from "../form-inputs.ts";
import { type FormProblems, field } from "../form-view.ts";
import { typed } from "../people/person-fields.ts";

/** What stands in the fields of a variable. */
export interface VariableDraft {
  readonly key: string;
  /** Empty for what is not shown. */
  readonly value: string;
  readonly locked: boolean;
  readonly secret: boolean;
}

export const emptyVariable: VariableDraft = { key: "", value: "", locked: false, secret: false };

/** Of a stored one: a value that is locked or secret stands in no page. */
export function draftOf({ key, value, locked, secret }: EnvironmentVariable): VariableDraft {
  return { key, value: isHidden({ locked, secret }) ? "" : (value ?? ""), locked, secret };
}

/** What was typed, to be shown once more. */
export function typedVariable(form: URLSearchParams): VariableDraft {
  const { key, value, locked, secret } = writtenVariable(form);
  return { key, value: isHidden({ locked, secret }) ? "" : value, locked, secret };
}

/** The body that creates a variable. */
export function writtenVariable(form: URLSearchParams): VariableDraft {
  const value = (form.get("value") ?? "").replaceAll("\r\n", "\n");
  return { key: typed(form, "key"), value, locked: form.has("locked"), secret: form.has("secret") };
}

/** The body that replaces a variable: what is not shown stays where nothing was typed. */
export function changedVariable(
  form: URLSearchParams,
  before: EnvironmentVariable,
): Omit<VariableDraft, "key" | "value"> & { readonly value: string | null } {
  const { value, locked, secret } = writtenVariable(form);
  const keeps = value === "" && isHidden(before);
  return { value: keeps ? before.value : value, locked, secret };
}

export function isHidden({ locked, secret }: Pick<EnvironmentVariable, "locked" | "secret">): boolean {
  return locked || secret;
}

export function variableFields(draft: VariableDraft, before: EnvironmentVariable | null, problems: FormProblems): Html {
  const isKept = before !== null && isHidden(before);
  return html`${
    before === null &&
    field({
      name: "key",
      label: texts.name,
      value: draft.key,
      hint: texts.nameHint,
      autocomplete: "off",
      maxLength: 255,
      problems,
    })
  }
${textArea({
  name: "value",
  label: texts.value,
  value: draft.value,
  rows: 2,
  maxLength: 32_768,
  hint: isKept ? texts.keptHint : undefined,
  isOptional: true,
  problems,
})}
${choices(texts.whoSees, [
  checkbox({
    name: "locked",
    label: texts.locked,
    isOn: draft.locked,
  }),
  checkbox({ name: "secret", label: texts.secret, isOn: draft.secret }),
])}`;
}
