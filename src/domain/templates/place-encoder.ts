import { escapedHtml } from "../alerting/plain-text.ts";
import { type TemplateValue, valueText } from "./template-value.ts";

/** What a template becomes, which decides how values are written into it. */
export type NotificationPlace = "url" | "json" | "form" | "markup" | "text";

/** Writes values where they stand; it is shown the template's own text too, to know where that is. */
export interface PlaceEncoder {
  /** A part of the template itself. */
  pass(text: string): string;
  /** @param isRaw written with three braces */
  encode(value: TemplateValue, isRaw: boolean): string;
}

/**
 * Values never end the text that they stand in. In JSON they are escaped between quotes, with two braces and with three, and stand as JSON
 * outside of them (`"ms": {{RESPONSE_TIME}}`, `"tags": {{TAGS}}`); elsewhere three braces write them as they are.
 */
export function placeEncoder(place: NotificationPlace): PlaceEncoder {
  if (place === "json") return new JsonPlace();
  const encode = encoders[place];
  return { pass: (text) => text, encode: (value, isRaw) => (isRaw ? valueText(value) : encode(valueText(value))) };
}

const encoders: Readonly<Record<Exclude<NotificationPlace, "json">, (text: string) => string>> = {
  url: (text) => encodeURIComponent(text.toWellFormed()),
  form: (text) => encodeURIComponent(text.toWellFormed()),
  markup: escapedHtml,
  text: (text) => text,
};

/** Knows whether it stands between the quotes of a text. */
class JsonPlace implements PlaceEncoder {
  #isInText = false;
  #isEscaped = false;

  pass(text: string): string {
    for (const sign of text) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isInText && sign === "\\") this.#isEscaped = true;
      else if (sign === '"') this.#isInText = !this.#isInText;
    }
    return text;
  }

  encode(value: TemplateValue): string {
    if (!this.#isInText) return JSON.stringify(value);
    return JSON.stringify(valueText(value).toWellFormed()).slice(1, -1);
  }
}

/** By the content type where there is one, else by how the template begins. */
export function placeOf(contentType: string | undefined, template: string): NotificationPlace {
  const type = (contentType ?? "").toLowerCase();
  if (/[/+]json\b/.test(type)) return "json";
  if (type.startsWith("application/x-www-form-urlencoded")) return "form";
  if (/[/+](xml|html)\b/.test(type)) return "markup";
  if (type !== "") return "text";
  const own = template.replace(/\{\{\{?[^{}]{0,1000}\}?\}\}/g, "").trimStart();
  return own.startsWith("{") || own.startsWith("[") ? "json" : "text";
}
