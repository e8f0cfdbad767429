import { type Html, html } from "../../pages/html.ts";

/** As long as a line or two. */
const shownCharacters = 140;

/** What a service answered; a long answer is folded away behind how it begins. */
export function toldAnswer(answer: string): Html {
  const characters = [...answer];
  if (characters.length <= shownCharacters) return html`<p class="answer">${answer}</p>`;
  const [start, end] = [characters.slice(0, shownCharacters), characters.slice(shownCharacters)].map((part) => part.join(""));
  return html`<details class="answer"><summary>${start}<span class="cut">…</span></summary>${end}</details>`;
}
