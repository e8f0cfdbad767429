import { type Html, html } from "./html.ts";

/** How a thing stands, beyond its words: each has a colour and a shape of its own. */
export type Tone = "ok" | "warn" | "bad" | "busy" | "none";

const shapes: Readonly<Record<Tone, Html>> = {
  ok: html`<circle cx="8" cy="8" r="6.5"/><path d="M5.2 8.2l2 2 3.6-4"/>`,
  warn: html`<path d="M8 1.8 14.6 13.8H1.4z"/><path d="M8 6.4v3.2M8 11.7h0"/>`,
  bad: html`<circle cx="8" cy="8" r="6.5"/><path d="M5.7 5.7l4.6 4.6M10.3 5.7l-4.6 4.6"/>`,
  busy: html`<circle cx="8" cy="8" r="6.5"/><path d="M8 4.6V8l2.3 1.6"/>`,
  none: html`<circle cx="8" cy="8" r="6.5" stroke-dasharray="2.4 2.4"/>`,
};

export function stateLabel(tone: Tone, text: string): Html {
  return html`<span class="state ${tone}"><svg viewBox="0 0 16 16" aria-hidden="true">${shapes[tone]}</svg>${text}</span>`;
}
