import { type Html, html } from "../../../view/html.ts";

/** A table that scrolls by itself; nothing without rows. @param label says what it is to those who do not see it */
export function scrolled(label: string, columns: readonly string[], rows: readonly Html[], style = ""): Html {
  if (rows.length === 0) return html``;
  return html`<div class="wide" tabindex="0" role="region" aria-label="${label}"><table class="${style}"><caption class="hidden">${label}</caption><thead><tr>${columns.map((name) => (name === "" ? html`<td></td>` : html`<th scope="col">${name}</th>`))}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
