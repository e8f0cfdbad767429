import type { CheckField } from "../check-types/check-field.ts";
import { pairLines } from "./pairs.ts";

/** What the input of a field shows of a value. @param stored the field's value in the stored check */
export function shownText({ kind, usual = "", between = ":" }: CheckField, value: unknown, stored: unknown): string {
  if (kind === "pairs") return pairLines(value, between, stored);
  if (kind === "list" && Array.isArray(value)) return value.join(", ");
  return value === null || value === undefined ? usual : String(value as string | number);
}

const areas: ReadonlySet<CheckField["kind"]> = new Set(["area", "code", "pairs"]);

/** Whether a form brings back what it showed of the stored value, so that nobody typed anything there. */
export function isUntouched(field: CheckField, form: URLSearchParams, stored: unknown): boolean {
  if (field.kind === "flag") return form.has(field.path) === (stored === true);
  const sent = form.get(field.path) ?? "";
  if (field.kind === "password") return sent === "" && stored !== undefined;
  const shown = shownText(field, stored, stored);
  return areas.has(field.kind) ? ofArea(sent) === ofArea(shown) : sent === ofLine(shown);
}

/** As a browser sends what an input of one line showed. */
export function ofLine(text: string): string {
  return ofPage(text).replaceAll(/[\r\n]/g, "");
}

/** The text of an area, whichever line breaks it has: browsers show and send their own. */
export function ofArea(text: string): string {
  return ofPage(text).replaceAll(/\r\n?/g, "\n");
}

/** No page holds halves of a character, and none a zero. */
function ofPage(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}
