import { expect, it } from "vitest";
import { addressOf } from "#contract/client-request.ts";
import { listMaintenanceWindows } from "#contract/maintenance-windows.ts";
import { nestedQuery } from "../../../src/control-plane/http/nested-query.ts";

it.each([
  [
    { a: "1", b: ["2", "3"] },
    { a: "1", b: ["2", "3"] },
  ],
  [
    { "a[b]": "1", "a[c]": "2", d: "3" },
    { d: "3", a: { b: "1", c: "2" } },
  ],
  [
    { "[b]": "2", "a[b][c]": "3", "a[b": "4", "a[][]": "5" },
    { "[b]": "2", "a[b][c]": "3", "a[b": "4", "a[][]": "5" },
  ],
  // Lists as axios and PHP write them.
  [
    { "a[]": "1", "b[]": ["1", "2"], "c[0]": "1", "c[1]": "2" },
    { a: "1", b: ["1", "2"], c: ["1", "2"] },
  ],
  [
    { a: "1", "a[]": ["2", "3"], b: ["1", "2"], "b[7]": "3" },
    { a: ["1", "2", "3"], b: ["1", "2", "3"] },
  ],
])("%j is read as %j", (given, expected) => {
  expect(nestedQuery(given)).toEqual(expected);
});

it("is read as the client writes it", () => {
  const query = { limit: 5, startsAt: { gt: "2026-01-01", lt: undefined } };
  const { searchParams } = addressOf(new URL("http://a/"), listMaintenanceWindows, { query });
  expect(nestedQuery(Object.fromEntries(searchParams))).toEqual({ limit: "5", startsAt: { gt: "2026-01-01" } });
});

it("touches no prototype", () => {
  const read = nestedQuery(JSON.parse('{"__proto__[polluted]": "1", "a[__proto__]": "2", "__proto__[]": "3"}')) as Record<string, unknown>;
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  expect(Object.keys(read)).toEqual(["__proto__", "a"]);
});
