import { commaList } from "#domain/comma-list.ts";

/** A part of a dashboard or a status page, as its form asks for it. */
export interface PageField<Name extends string = string> {
  /** As the body has it. */
  readonly name: Name;
  readonly label: string;
  /** `tags`: between commas. `rate`: one of some numbers. */
  readonly kind: "text" | "prose" | "css" | "tags" | "flag" | "number" | "choice" | "rate";
  readonly hint?: string;
  /** Of `choice` and `rate`. */
  readonly options?: readonly (readonly [value: string, text: string])[];
  readonly isRequired?: boolean;
}

export interface FieldSection<Name extends string = string> {
  readonly title: string;
  readonly fields: readonly PageField<Name>[];
}

/** What stands in the fields: what is stored, or what was typed. */
export type PageDraft = Readonly<Record<string, unknown>>;

/** The body from what was typed. Whatever is no number stays as it was typed, so that the operation tells what it wants there. */
export function writtenFields(fields: readonly PageField[], form: URLSearchParams): PageDraft {
  return Object.fromEntries(fields.map((field) => [field.name, valueOf(field, form)]));
}

/** The names of those beside which their form tells what is wrong; nobody types into the others. */
export function typedNames(fields: readonly PageField[]): readonly string[] {
  return fields.filter(({ kind }) => !["flag", "choice", "rate"].includes(kind)).map(({ name }) => name);
}

function valueOf({ name, kind, isRequired = false }: PageField, form: URLSearchParams): unknown {
  if (kind === "flag") return form.has(name);
  const text = (form.get(name) ?? "").replaceAll("\r\n", "\n");
  const trimmed = text.trim();
  if (kind === "tags") return commaList(trimmed);
  if (kind === "css") return text;
  if (kind === "choice" || isRequired) return trimmed;
  return (kind === "number" || kind === "rate") && isWhole(trimmed) ? Number(trimmed) : trimmed || null;
}

function isWhole(text: string): boolean {
  return /^\d+$/.test(text);
}
