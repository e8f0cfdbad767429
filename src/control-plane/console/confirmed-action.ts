import { type Html, html } from "../view/html.ts";
import { postForm } from "./form-view.ts";

/** Asks once more before something goes, without a script. `name` is for readers of the screen. */
export function confirmedAction(csrf: string, action: string, question: string, verb: string, name: string): Html {
  return html`<details class="asks"><summary>${verb}<span class="hidden"> ${name}</span></summary><div>
<p>${question}</p>
${postForm(action, csrf, html`<button class="danger">${verb}</button>`)}
</div></details>`;
}
