/** Where a dashboard stands, as its address tells it. */
export interface Place {
  /** From 1. */
  readonly page: number;
  /** For how many seconds this page has been on the screen already. */
  readonly shownSeconds: number;
  /** Somebody wants to read on: the pages are not turned. */
  readonly holds: boolean;
  /** As tiles that fill a screen. */
  readonly isWall: boolean;
}

export interface PagingSettings {
  readonly refreshRate: number;
  readonly paginate: boolean;
  readonly paginationRate: number;
}

/** What is written by hand, or out of range, is put right. */
export function placeOf(query: URLSearchParams, pageCount: number): Place {
  const number = (name: string): number => {
    const text = query.get(name) ?? "";
    return /^\d{1,6}$/.test(text) ? Number(text) : 0;
  };
  return {
    page: Math.min(Math.max(number("page"), 1), pageCount),
    shownSeconds: Math.min(number("shown"), 3_600),
    holds: query.has("hold"),
    isWall: query.get("view") === "wall",
  };
}

/** The query that leads to a place; empty for the first page. */
export function queryOf({ page, shownSeconds, holds, isWall }: Place): string {
  const query = new URLSearchParams(isWall ? { view: "wall" } : {});
  if (page > 1) query.set("page", String(page));
  if (shownSeconds > 0) query.set("shown", String(shownSeconds));
  if (holds) query.set("hold", "1");
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/**
 * When the browser asks again, and for what: a page is refreshed until its time is over, then comes the next one, and after the last the
 * first. The time counts in the address, so that no script is needed.
 */
export function nextPlace(place: Place, pageCount: number, settings: PagingSettings): { readonly seconds: number; readonly place: Place } {
  const { refreshRate, paginate, paginationRate } = settings;
  if (!paginate || pageCount < 2 || place.holds) return { seconds: refreshRate, place: { ...place, shownSeconds: 0 } };
  const left = Math.max(paginationRate - place.shownSeconds, 1);
  const seconds = Math.min(refreshRate, left);
  return seconds < left
    ? { seconds, place: { ...place, shownSeconds: place.shownSeconds + seconds } }
    : { seconds, place: { ...place, page: (place.page % pageCount) + 1, shownSeconds: 0, holds: false } };
}
