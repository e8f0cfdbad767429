import { type Html, html } from "../view/html.ts";
import { zoneElement } from "../view/units.ts";

/**
 * A table that scrolls by itself where the screen is too narrow, with keys as well.
 *
 * @param className `stacked`: on phones each row is a small block, whose free text stands below the rest
 * @param isOfTimes the first column has times as `rowTimeElement` tells them
 */
export function table(names: readonly string[], rows: readonly Html[], className = "", isOfTimes = false): Html {
  const head = (name: string, index: number): Html =>
    name === "" ? html`<td></td>` : html`<th scope="col">${name}${isOfTimes && index === 0 && html` (${zoneElement()})`}</th>`;
  return html`<div class="wide" tabindex="0" role="region" aria-label="${names.join(", ")}"><table class="${className}"><thead><tr>${names.map(head)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
