import { type Html, html } from "../view/html.ts";

/** What was done before this page, as its address says; nothing where that says something else. */
export function doneBox(texts: Readonly<Record<string, string>>, done: string | null): Html | false {
  return done !== null && Object.hasOwn(texts, done) && html`<p class="box good" role="status">${texts[done]}</p>`;
}
