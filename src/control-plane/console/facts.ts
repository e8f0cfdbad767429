import { resultSeenTexts as texts } from "../texts/result-seen.ts";
import { type Html, html } from "../view/html.ts";

/** A name and what is known of it; what is not known is left out. */
export type Fact = readonly [name: string, value: string | number | Html | null | undefined | false];

/** Names and values in two columns. Empty where nothing is known. */
export function factList(facts: readonly Fact[]): Html {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== "");
  if (known.length === 0) return html``;
  return html`<dl class="facts">${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A part of a page under a heading; nothing where it has no content. */
export function part(title: string, ...content: readonly Html[]): Html {
  const text = content.filter((one) => one.text !== "");
  return text.length === 0 ? html`` : html`<section><h2>${title}</h2>\n${text}</section>`;
}

/** What machines wrote, as they wrote it; long texts scroll. */
export function verbatim(text: string, label: string): Html {
  return text === "" ? html`` : html`<pre class="verbatim" tabindex="0" role="region" aria-label="${label}">${text}</pre>`;
}

/** Bytes that are no text, as they can be copied. */
export function noText(base64: string, what: string): Html {
  return html`<details><summary>${texts.inBase64(what)}</summary>${verbatim(base64, texts.base64Label(what))}</details>`;
}

/** `1,234 bytes`. */
export function bytesText(bytes: number): string {
  return texts.bytes(bytes);
}

/** With a word where less than that is stored. */
export function sizeText(bytes: number, isCutOff: boolean): string {
  return isCutOff ? texts.cutOff(bytesText(bytes)) : bytesText(bytes);
}
