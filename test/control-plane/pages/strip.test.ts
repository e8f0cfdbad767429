import { expect, it } from "vitest";
import { strip, timeLine } from "../../../src/control-plane/pages/dashboards/charts.ts";
import type { ShownHour } from "../../../src/control-plane/pages/dashboards/shown-checks.ts";

const hour = (runs: number, failed: number, degraded: number, index: number, unknown: ShownHour["unknown"] = null) => ({
  fromMs: Date.UTC(2026, 10, 22, index),
  runs,
  failed,
  degraded,
  unknown,
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
    'aria-label="Last 24 hours, by hour: 1 hour without failures, 1 hour with degraded runs, 1 hour with failures, 1 hour without results"',
  );
});

it("slots that never became a run are hatched, as far as their share goes, with reason and count", () => {
  const down = { slots: 360, reason: "control_plane_down" } as const;
  const shown = strip([hour(0, 0, 0, 0, down), hour(60, 0, 0, 1, { slots: 60, reason: "store_unavailable" }), hour(60, 0, 0, 2)]).text;
  expect(
    [...shown.matchAll(/<g>.*?<\/g>/g)].map(([bar]) => [...bar.matchAll(/class="(\w+)"|y2="(\d+)%"/g)].map(([, name, y]) => name ?? y)),
  ).toEqual([
    ["none", "gap", "0"],
    ["ok", "gap", "50"],
  ]);
  expect([...shown.matchAll(/<title>(.*?)<\/title>/g)].map(([, title]) => title)).toEqual([
    "00:00–01:00 UTC: no results; no run: the control plane was down; 360 slots",
    "01:00–02:00 UTC: 60 runs, none failed; no run: the control plane could not write to its database; 60 slots",
    "02:00–03:00 UTC: 60 runs, none failed",
  ]);
  expect(shown).toContain("2 hours with unknown slots");
});

it("a response time without one beside it is a dot, which the line alone would not show", () => {
  const hours = [null, 80, null, 120, 130].map((p50, index) => ({ ...hour(1, 0, 0, index), p50 }));
  const dots = (text: string) => [...text.matchAll(/<path class="p50 dot" d="([^"]+)"/g)].map(([, path]) => path);
  expect(dots(timeLine(hours, ["p50"], "spark").text)).toEqual([expect.stringMatching(/^M72 [\d.]+h0$/)]);
  expect(dots(timeLine(hours.slice(3), ["p50"], "spark").text)).toEqual([]);
});
