/** What a template of a notification may be filled with. A list is text with commas, or what `{{#each}}` goes through. */
export type TemplateValue = string | number | boolean | readonly string[];

export function valueText(value: TemplateValue): string {
  return typeof value === "object" ? value.join(", ") : String(value);
}
