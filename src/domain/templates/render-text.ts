import { AppError } from "../app-error.ts";
import { momentText } from "./moment-text.ts";
import type { TemplateContext } from "./template-context.ts";
import { hasTemplates, type TemplateTag, templateTags } from "./template-tags.ts";

/** `{{X}}` is URI-encoded in a URL, and stands as it is everywhere else. */
export type TemplatePlace = "url" | "text";

export interface RenderedText {
  readonly text: string;
  /** What stands in the braces that nothing fills, mostly names of variables; each once. */
  readonly unknown: readonly string[];
}

/** A value comes as often as its template: a small text could fill the memory. In characters. */
const maxRenderedLength = 4_194_304;

/**
 * Fills the templates of a text (behaviour 4): variables, `$UUID`, `$RANDOM_NUMBER` and `moment`. What is no such template stays as it is,
 * and so does one that nothing fills. In `{"a":{{X}}}` the last brace is text. Values are no templates themselves.
 *
 * @throws {AppError} invalid_input where the text grows beyond 4 MB
 */
export function renderText(template: string, context: TemplateContext, place: TemplatePlace): RenderedText {
  if (!hasTemplates(template)) return { text: template, unknown: [] };
  const unknown = new Set<string>();
  let text = "";
  let from = 0;
  for (const tag of templateTags(template)) {
    const value = valueOf(tag, context);
    if (value === undefined) {
      unknown.add(tag.name ?? tag.moment ?? "");
      continue;
    }
    text += template.slice(from, tag.start) + (place === "text" || tag.isRaw ? value : inUrl(value, tag.start));
    from = tag.end;
    if (text.length > maxRenderedLength) throw tooLong();
  }
  return { text: text + template.slice(from), unknown: [...unknown] };
}

function tooLong(): AppError {
  return new AppError("invalid_input", "a text of the request grows beyond 4 MB by the values of its templates");
}

function valueOf({ name, moment }: TemplateTag, { variables, nowMs, random, uuid }: TemplateContext): string | undefined {
  if (moment !== undefined) return momentText(moment, nowMs);
  if (name === undefined) return undefined;
  if (Object.hasOwn(variables, name)) return variables[name];
  if (name === "$UUID") return uuid();
  return name === "$RANDOM_NUMBER" ? String(Math.floor(random() * 10_001)) : undefined;
}

/** What a URL begins with may be an address itself (GROUP_BASE_URL), and encoded would be none. */
function inUrl(value: string, start: number): string {
  return start === 0 && /^https?:\/\//i.test(value) ? value : encodeURIComponent(value.toWellFormed());
}
