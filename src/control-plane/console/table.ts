import { type Html, html } from "../view/html.ts";

/** A table that scrolls by itself where the screen is too narrow, with keys as well. */
export function table(names: readonly string[], rows: readonly Html[], className = ""): Html {
  return html`<div class="wide" tabindex="0" role="region" aria-label="${names.join(", ")}"><table class="${className}"><thead><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
