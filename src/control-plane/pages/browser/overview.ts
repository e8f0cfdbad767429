import { tickAgo } from "./ago.ts";
import { listenToKeys } from "./keys.ts";
import { listen, withQuery } from "./live-stream.ts";
import { elementOf, morph } from "./morph.ts";

/** The list of checks changes while it is looked at. All markup comes from our server, made by what makes the page. */

const bar = document.querySelector<HTMLElement>("#live");
const list = document.querySelector("ol.checks");

/** Rows that came and have no place yet. */
const waiting = new Map<string, Element>();

interface Counters {
  readonly html: string;
  readonly failing: number;
  readonly degraded: number;
  /** Both, in words. */
  readonly said: string;
}
let told: Counters | undefined;

function rowOf(id: string): Element | null {
  return list?.querySelector(`:scope > [data-id="${id}"]`) ?? null;
}

function takeRow({ id, html }: { readonly id: string; readonly html: string }): void {
  const [row, fresh] = [rowOf(id), elementOf(html)];
  if (fresh === null) return;
  if (row === null) waiting.set(id, fresh);
  else morph(row, fresh);
}

function takeOrder({ ids, pages }: { readonly ids: readonly string[]; readonly pages: string }): void {
  if (list === null || ids.length === 0) {
    // The page looks otherwise where there is nothing to list.
    if ((list === null) !== (ids.length === 0)) location.reload();
    return;
  }
  const rows = ids.flatMap((id) => rowOf(id) ?? waiting.get(id) ?? []);
  waiting.clear();
  for (const row of list.querySelectorAll(":scope > li")) if (!rows.includes(row)) row.remove();
  if (rows.some((row, index) => list.children[index] !== row)) arrange(list, rows);
  const links = document.querySelector("nav.pages");
  const fresh = elementOf(pages);
  if (links !== null && fresh !== null) morph(links, fresh);
  else if (links !== null) links.remove();
  else if (fresh !== null) list.after(fresh);
}

/** A row that has the focus stays in the page while the others are put around it, so that it keeps it. */
function arrange(list: Element, rows: readonly Element[]): void {
  const focused = rows.findIndex((row) => row.contains(document.activeElement));
  const anchor = rows[focused];
  if (anchor === undefined) return list.append(...rows);
  anchor.before(...rows.slice(0, focused));
  anchor.after(...rows.slice(focused + 1));
}

function takeCounters(counters: Counters): void {
  const [old, fresh] = [document.querySelector(".counters")?.parentElement, elementOf(counters.html)];
  if (old && fresh !== null) morph(old, fresh);
  if (told !== undefined && (told.failing !== counters.failing || told.degraded !== counters.degraded)) announce(counters);
  told = counters;
  const title = document.title.replace(/^\(\d+\) /, "");
  document.title = counters.failing === 0 ? title : `(${counters.failing}) ${title}`;
}

let announcing = 0;

/** To readers of the screen, and not each change of a storm. */
function announce({ said }: Counters): void {
  clearTimeout(announcing);
  announcing = setTimeout(() => {
    const status = bar?.querySelector('[role="status"]');
    if (status) status.textContent = said;
  }, 3_000);
}

/** What the page has already need not come again. */
function withVersions(address: string): string {
  const versions = [...document.querySelectorAll<HTMLElement>("ol.checks > li")].map((row) => row.dataset["version"] ?? "");
  return withQuery(address, "has", versions.join("."));
}

if (bar !== null) listen(bar, { row: takeRow, order: takeOrder, counters: takeCounters }, withVersions);
listenToKeys(() => [...document.querySelectorAll<HTMLElement>(".checks .which > a")]);
if (bar !== null) tickAgo(bar);
