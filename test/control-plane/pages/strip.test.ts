import { expect, it } from "vitest";
import { strip } from "../../../src/control-plane/pages/dashboards/charts.ts";

const hour = (runs: number, failed: number, degraded: number, index: number) => ({
  fromMs: Date.UTC(2026, 10, 22, index),
  runs,
  failed,
  degraded,
  p50: null,
  p95: null,
});

it("the hours of a day tell degraded runs by colour and in words, and failures before them", () => {
  const shown = strip([hour(0, 0, 0, 0), hour(60, 0, 0, 1), hour(60, 0, 4, 2), hour(60, 3, 4, 3)]).text;
  expect(
    [...shown.matchAll(/<g>.*?<\/g>|<rect[^>]*>(?=<title>)/g)].map(([bar]) => [...bar.matchAll(/class="(\w+)"/g)].map(([, name]) => name)),
  ).toEqual([["none"], ["ok"], ["warn"], ["ok", "bad"]]);
  expect([...shown.matchAll(/<title>(.*?)<\/title>/g)].map(([, title]) => title)).toEqual([
    "00:00–01:00 UTC: no results",
    "01:00–02:00 UTC: 60 runs, none failed",
    "02:00–03:00 UTC: 60 runs, none failed, 4 degraded",
    "03:00–04:00 UTC: 60 runs, 3 failed, 4 degraded",
  ]);
  expect(shown).toContain(
    'aria-label="Last 24 hours, by hour: 1 hour without failure, 1 hour with degraded runs, 1 hour with failures, 1 hour without results"',
  );
});
