import { actionTexts } from "../texts/actions.ts";
import { shellTexts as texts } from "../texts/shell.ts";
import { type Html, html } from "../view/html.ts";

/** The page that an address asks for, from 1. */
export function pageOf(query: URLSearchParams): number {
  return Math.min(100_000, Math.max(1, Math.trunc(Number(query.get("page"))) || 1));
}

export interface PageLinksView {
  readonly path: string;
  /** What the address says beside the page; empty values are left out. */
  readonly query: Readonly<Record<string, string>>;
  readonly page: number;
  readonly pageSize: number;
  readonly total: number;
  /** `12 alerts` */
  readonly counted: (total: number) => string;
}

/** To the pages before and after; nothing where all is on one. */
export function pageLinks({ path, query, page, pageSize, total, counted }: PageLinksView): Html {
  const pages = Math.max(1, Math.ceil(total / pageSize));
  if (pages === 1 && page === 1) return html``;
  const address = (to: number): string => addressWith(path, { ...query, page: to === 1 ? "" : String(to) });
  return html`<nav class="pages" aria-label="${texts.pages}">${page > 1 && html`<a href="${address(Math.min(page - 1, pages))}" rel="prev">${actionTexts.previous}</a>`}
<span>${texts.pageOf(page, pages, counted(total))}</span>${page < pages && html`<a href="${address(page + 1)}" rel="next">${actionTexts.next}</a>`}</nav>`;
}

/** A path with those parts of a query that are not empty. */
export function addressWith(path: string, query: Readonly<Record<string, string>>): string {
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
  return given.size === 0 ? path : `${path}?${given.toString()}`;
}
