import { html } from "../../pages/html.ts";

/** The keys that the list knows, for whom it runs a script; `browser/keys.ts` opens it. */
export const keyDialog = html`<button class="quiet" id="show-keys" type="button" hidden>Keys <kbd>?</kbd></button>
<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2>
<dl><dt><kbd>/</kbd></dt><dd>to the search</dd><dt><kbd>j</kbd></dt><dd>to the next check</dd><dt><kbd>k</kbd></dt><dd>to the one before</dd>
<dt><kbd>Enter</kbd></dt><dd>opens the check</dd><dt><kbd>?</kbd></dt><dd>shows these keys</dd><dt><kbd>Esc</kbd></dt><dd>closes them</dd></dl>
<form method="dialog"><button class="quiet">Close</button></form></dialog>`;
