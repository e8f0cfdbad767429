import { actionTexts } from "../../texts/actions.ts";
import { type Html, html } from "../../view/html.ts";
import { checkbox, textArea } from "../form-inputs.ts";
import { type FormProblems, field, select } from "../form-view.ts";
import type { FieldSection, PageDraft, PageField } from "./page-fields.ts";

export function fieldSection({ title, fields }: FieldSection, draft: PageDraft, problems: FormProblems): Html {
  return html`<section><h2>${title}</h2>${fields.map((each) => input(each, draft, problems))}</section>`;
}

function input({ name, label, kind, hint, options = [], isRequired = false }: PageField, draft: PageDraft, problems: FormProblems): Html {
  const stored = draft[name];
  if (kind === "flag") return checkbox({ name, label, isOn: stored === true });
  const value = textOf(stored);
  if (kind === "choice" || kind === "rate") return select({ name, label, value, options });
  const view = { name, label: isRequired ? label : actionTexts.optional(label), value, hint, problems, isOptional: !isRequired };
  if (kind === "prose") return textArea({ ...view, rows: 3, maxLength: 2_000, isProse: true });
  if (kind === "css") return textArea({ ...view, rows: 5, maxLength: 100_000 });
  return field({ ...view, autocomplete: "off", maxLength: kind === "tags" ? 25_000 : 2_048 });
}

function textOf(stored: unknown): string {
  if (Array.isArray(stored)) return stored.join(", ");
  return typeof stored === "string" || typeof stored === "number" ? String(stored) : "";
}
