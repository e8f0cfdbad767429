import { overviewTexts as texts } from "../../texts/overview.ts";
import { html } from "../../view/html.ts";

/** The keys that the list knows, for whom it runs a script; `browser/keys.ts` opens it. */
export const keyDialog = html`<button class="quiet" id="show-keys" type="button" hidden>${texts.keys} <kbd>?</kbd></button>
<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">${texts.keys}</h2>
<dl>${Object.entries(texts.keysOf).map(([key, text]) => html`<dt><kbd>${key}</kbd></dt><dd>${text}</dd>`)}</dl>
<form method="dialog"><button class="quiet">${texts.close}</button></form></dialog>`;
