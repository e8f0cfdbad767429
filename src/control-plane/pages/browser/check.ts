import { takeFigures } from "./charts.ts";
import { withQuery } from "./live-stream.ts";
import { elementOf, morph } from "./morph.ts";
import { listenToRun, runsNow } from "./run-now.ts";

/** The page of a check: new runs come in on top, figures and charts follow them, and a run that is started here is told beside its button. */

interface Runs {
  readonly state: string;
  /** Empty while the check passes. */
  readonly cause: string;
  readonly rows: readonly { readonly id: string; readonly html: string }[];
}

function takeState(state: string): void {
  const label = document.querySelector("#state > *");
  const fresh = elementOf(state);
  if (label !== null && fresh !== null) morph(label, fresh);
}

function takeCause(cause: string): void {
  const place = document.querySelector("#cause");
  if (place === null) return;
  const fresh = cause === "" ? null : elementOf(cause);
  if (fresh === null || place.firstElementChild === null) place.replaceChildren(...(fresh === null ? [] : [fresh]));
  else morph(place.firstElementChild, fresh);
}

function takeRuns({ state, cause, rows }: Runs): void {
  takeState(state);
  takeCause(cause);
  const body = document.querySelector("#runs tbody");
  if (body === null) {
    if (rows.length > 0) location.reload(); // the first run of all
    return;
  }
  const shown = new Set([...body.querySelectorAll<HTMLElement>("tr")].map((row) => row.dataset["id"]));
  for (const { id, html } of rows.toReversed()) {
    const row = shown.has(id) ? null : rowOf(html);
    if (row !== null) body.prepend(row);
  }
}

/** A row alone is no markup that a browser would take. */
function rowOf(html: string): Element | null {
  return elementOf(`<table><tbody>${html}</tbody></table>`)?.querySelector("tr") ?? null;
}

interface Measured {
  readonly measured: string;
  readonly told: string;
  /** Of a heartbeat, whose runs are its pings. */
  readonly state?: string;
}

function takeMeasured({ measured, told, state }: Measured): void {
  const [charts, below, freshCharts, freshBelow] = [
    document.querySelector("#measured"),
    document.querySelector("#told"),
    elementOf(measured),
    elementOf(told),
  ];
  if (charts !== null && freshCharts !== null) takeFigures(charts, freshCharts);
  if (state !== undefined) takeState(state);
  if (below !== null && freshBelow !== null) morph(below, freshBelow);
}

/** What is older than the figures of the page need not come again. */
function sinceFigures(address: string): string {
  const at = document.querySelector<HTMLElement>("#measured")?.dataset["at"];
  return at === undefined ? address : withQuery(address, "at", at);
}

runsNow(listenToRun({ runs: takeRuns, measured: takeMeasured }, sinceFigures));
