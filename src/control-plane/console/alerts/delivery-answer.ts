import { alertTexts } from "../../texts/alerts.ts";
import { type Html, html } from "../../view/html.ts";

/** A line or two, and no half of a character. */
const beginning = /^[\s\S]{0,140}/u;

/** A service's status alone is a riddle to who does not speak HTTP. */
export function answerText(answer: string): string {
  return /^[1-5]\d\d$/.test(answer) ? alertTexts.httpStatus(answer) : answer;
}

/** What a service answered; a long answer is folded away behind how it begins. */
export function deliveryAnswer(given: string): Html {
  const answer = answerText(given);
  const [start = ""] = beginning.exec(answer) ?? [];
  if (start.length === answer.length) return html`<p class="answer">${answer}</p>`;
  return html`<details class="answer"><summary>${start}<span class="cut">…</span></summary>${answer.slice(start.length)}</details>`;
}
