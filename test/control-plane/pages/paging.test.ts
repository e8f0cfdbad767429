import { describe, expect, it } from "vitest";
import { nextPlace, type Place, placeOf, queryOf } from "../../../src/control-plane/pages/dashboards/paging.ts";

const settings = { refreshRate: 60, paginate: true, paginationRate: 300 };
const place = (change: Partial<Place> = {}): Place => ({ page: 1, shownSeconds: 0, holds: false, isWall: false, ...change });

describe("the pages of a dashboard", () => {
  it.each([60, 300, 600].flatMap((refreshRate) => [30, 60, 300].map((paginationRate) => [refreshRate, paginationRate] as const)))(
    "refreshed every %i s are all shown for %i s, in their order",
    (refreshRate, paginationRate) => {
      const shownFor = new Map<number, number>();
      let now = place();
      for (let seconds = 0; seconds < 3 * paginationRate; ) {
        const next = nextPlace(now, 3, { refreshRate, paginate: true, paginationRate });
        expect(next.seconds).toBeLessThanOrEqual(refreshRate);
        shownFor.set(now.page, (shownFor.get(now.page) ?? 0) + next.seconds);
        seconds += next.seconds;
        now = placeOf(new URLSearchParams(queryOf(next.place)), 3);
      }
      expect([...shownFor]).toEqual([1, 2, 3].map((page) => [page, paginationRate]));
      expect(now).toEqual(place());
    },
  );

  it("stay where there is one, where nobody turns them, and where somebody reads on", () => {
    expect(nextPlace(place({ shownSeconds: 240 }), 1, settings)).toEqual({ seconds: 60, place: place() });
    expect(nextPlace(place({ page: 2 }), 3, { ...settings, paginate: false })).toEqual({ seconds: 60, place: place({ page: 2 }) });
    expect(nextPlace(place({ page: 2, holds: true }), 3, settings)).toEqual({ seconds: 60, place: place({ page: 2, holds: true }) });
  });

  it.each([
    ["", place()],
    ["view=wall&page=2", place({ page: 2, isWall: true })],
    ["page=2&shown=60&hold=1", place({ page: 2, shownSeconds: 60, holds: true })],
    ["page=0", place()],
    ["page=9", place({ page: 3 })],
    ["page=1e1&shown=-5", place()],
    ["page=99999999999999999999&shown=999999", place({ shownSeconds: 3_600 })],
  ])("are found by %j", (query, expected) => {
    expect(placeOf(new URLSearchParams(query), 3)).toEqual(expected);
  });
});
