import { type Html, html } from "../../view/html.ts";

/** A line or two, and no half of a character. */
const beginning = /^[\s\S]{0,140}/u;

/** What a service answered; a long answer is folded away behind how it begins. */
export function deliveryAnswer(answer: string): Html {
  const [start = ""] = beginning.exec(answer) ?? [];
  if (start.length === answer.length) return html`<p class="answer">${answer}</p>`;
  return html`<details class="answer"><summary>${start}<span class="cut">…</span></summary>${answer.slice(start.length)}</details>`;
}
