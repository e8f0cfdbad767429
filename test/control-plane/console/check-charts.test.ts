import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bucketMinutes, tellsPhases } from "../../../src/control-plane/console/check/bucket-width.ts";
import { type LineChart, lineChart, stackChart } from "../../../src/control-plane/console/check/chart.ts";
import { lanes } from "../../../src/control-plane/console/check/lanes.ts";
import { bandPath, linePath, stepPath } from "../../../src/control-plane/console/check/plot-paths.ts";
import { daysBefore, rangeOf, ticksOf, withFittingRange } from "../../../src/control-plane/console/check/range.ts";
import { evil } from "./key-holder.ts";

const nowMs = Date.parse("2026-11-22T12:00:00Z");
const hourMs = 3_600_000;
describe("the range that an address asks for", () => {
  const asked = (query: string) => rangeOf(new URLSearchParams(query), nowMs);

  it.each([
    { query: "", name: "24h", fromMs: nowMs - 24 * hourMs, toMs: nowMs },
    { query: "range=7d", name: "7d", fromMs: nowMs - 7 * 24 * hourMs, toMs: nowMs },
    { query: "range=nonsense", name: "24h", fromMs: nowMs - 24 * hourMs, toMs: nowMs },
    { query: `from=${nowMs - hourMs}`, name: null, fromMs: nowMs - hourMs, toMs: nowMs },
    { query: "from=2026-11-22T10:00&to=2026-11-22T11:30", name: null, fromMs: nowMs - 2 * hourMs, toMs: nowMs - hourMs / 2 },
    { query: "from=2026-11-22T10:00:00Z&to=2026-11-22T12:00:00%2B01:00", name: null, fromMs: nowMs - 2 * hourMs, toMs: nowMs - hourMs },
    { query: "from=2026-11-22T10:00&to=2027-01-01T00:00&range=7d", name: null, fromMs: nowMs - 2 * hourMs, toMs: nowMs },
  ])("is $fromMs to $toMs for '$query'", ({ query, ...range }) => {
    expect(asked(query)).toMatchObject({ range, problems: {} });
  });

  it.each([
    { query: "from=yesterday", field: "from", says: "is not a valid time" },
    { query: "from=2026-13-40T10:00", field: "from", says: "is not a valid time" },
    { query: "from=-5", field: "from", says: "is not a valid time" },
    { query: "from=2026-11-22T10:00&to=later", field: "to", says: "is not a valid time" },
    { query: "to=2026-11-22T10:00", field: "from", says: "Enter a start time" },
    { query: "from=2026-11-22T13:00", field: "from", says: "future" },
    { query: "from=2026-11-22T11:00&to=2026-11-22T10:00", field: "from", says: "before the end" },
    { query: `from=${nowMs - 2}&to=${nowMs - 1}`, field: "to", says: "one minute long" },
    { query: "from=0", field: "from", says: "800 days" },
  ])("cannot be '$query', which is told beside $field", ({ query, field, says }) => {
    const { problems, range, from } = asked(query);
    expect(problems[field]).toContain(says);
    expect([range.name, from]).toEqual(["24h", new URLSearchParams(query).get("from") ?? ""]);
  });

  it("is never one that analytics would refuse", () => {
    const edge = fc.oneof(
      fc.string(),
      fc.integer({ min: 0, max: 9e15 }).map(String),
      fc.date({ noInvalidDate: true }).map((at) => at.toISOString()),
    );
    fc.assert(
      fc.property(edge, edge, (from, to) => {
        const { range } = rangeOf(new URLSearchParams({ from, to }), nowMs);
        expect(range.toMs - range.fromMs).toBeGreaterThanOrEqual(60_000);
        expect(range.toMs - range.fromMs).toBeLessThanOrEqual(800 * 24 * hourMs);
        expect(range.toMs).toBeLessThanOrEqual(nowMs);
      }),
    );
  });

  it.each([
    { hours: 1, frequency: 0, places: 2, minutes: 1 },
    { hours: 24, frequency: 1, places: 2, minutes: 10 },
    { hours: 24, frequency: 10, places: 2, minutes: 30 },
    { hours: 24, frequency: 60, places: 2, minutes: 60 },
    { hours: 24, frequency: 0, places: 6, minutes: 60 },
    { hours: 24 * 7, frequency: 1, places: 2, minutes: 60 },
    { hours: 24 * 7, frequency: 1, places: 6, minutes: 60 },
    { hours: 24 * 30, frequency: 1, places: 1, minutes: 360 },
    { hours: 24 * 30, frequency: 1, places: 6, minutes: 360 },
    { hours: 24 * 30, frequency: 1, places: 7, minutes: 1_440 },
    { hours: 24 * 800, frequency: 1, places: 2, minutes: 5_760 },
  ])("of $hours h of a check every $frequency min at $places places has a point each $minutes min", ({ hours, minutes, ...pace }) => {
    expect(bucketMinutes({ fromMs: nowMs - hours * hourMs, toMs: nowMs }, pace)).toBe(minutes);
  });

  it.each([
    { hours: 24, places: 4, width: 10, tells: true },
    { hours: 24 * 7, places: 2, width: 60, tells: true },
    { hours: 24 * 30, places: 2, width: 240, tells: true },
    { hours: 24 * 30, places: 4, width: 240, tells: false },
    { hours: 24 * 365, places: 4, width: 2_880, tells: true },
  ])("of $hours h at $places places tells phases each $width min: $tells", ({ hours, places, width, tells }) => {
    expect(tellsPhases({ fromMs: nowMs - hours * hourMs, toMs: nowMs }, places, width)).toBe(tells);
  });

  it("never has more points than can be drawn", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_152_000 }), fc.integer({ min: 0, max: 1_440 }), fc.nat(50), (length, frequency, places) => {
        const width = bucketMinutes({ fromMs: 0, toMs: length * 60_000 }, { frequency, places });
        expect(length / width).toBeLessThanOrEqual(200);
      }),
    );
  });

  it.each([
    [1, 7],
    [24 * 7, 7],
    [24 * 7 + 1, 14],
    [24 * 30, 35],
  ])("of %i h is compared with the same weekdays %i days before", (hours, days) => {
    expect(daysBefore({ fromMs: nowMs - hours * hourMs, toMs: nowMs })).toBe(days);
  });

  it.each([
    ["", 0.2, "range=1h"],
    ["location=a", 0.9, "location=a&range=1h"],
    ["", 1.1, ""],
    ["", 100, ""],
    ["range=7d", 0.2, "range=7d"],
    ["from=5", 0.2, "from=5"],
  ])("for '%s' of a check that is %d h old is asked as '%s'", (query, hours, asked) => {
    expect(withFittingRange(new URLSearchParams(query), nowMs - hours * hourMs, nowMs).toString()).toBe(asked);
  });

  it("has times below it where it is short, else days", () => {
    expect(ticksOf({ fromMs: nowMs - 4 * hourMs, toMs: nowMs })).toEqual(["08:00", "09:00", "10:00", "11:00", "12:00"]);
    expect(ticksOf({ fromMs: nowMs - 96 * hourMs, toMs: nowMs })).toEqual(["18 Nov", "19 Nov", "20 Nov", "21 Nov", "22 Nov"]);
  });
});

describe("a chart over time", () => {
  const edgesMs = [0, 10, 20, 30, 40];
  const axes = { edgesMs, bottom: 0, top: 100 };

  it("has a gap where nothing was measured, and a dot where one value stands alone", () => {
    expect(linePath(axes, [100, 0, null, 50])).toBe("M125 0L375 200M875 100h0");
  });

  it("has a band between two lines, and a column where one value stands alone", () => {
    expect(bandPath(axes, [0, 0, null, 50], [100, 50, null, 100])).toBe("M125 0L375 100L375 200L125 200ZM750 0L1000 0L1000 100L750 100Z");
  });

  it("has layers as wide as their buckets, however long these are", () => {
    expect(stepPath({ edgesMs: [0, 30, 40], bottom: 0, top: 100 }, [0, 0], [100, 50])).toBe(
      "M0 0L750 0L750 100L1000 100L1000 200L750 200L750 200L0 200Z",
    );
  });

  const chart = (changes: Partial<LineChart>): string =>
    lineChart({
      title: "Response time",
      reading: "",
      label: "Response time",
      edgesMs,
      cells: { first: 0, step: 1 },
      ticks: ["a", "b"],
      unit: "ms",
      lines: [],
      ...changes,
    }).text;

  it("is told with its values and units, and names of locations are text in it", () => {
    const text = chart({
      lines: [
        {
          name: evil,
          colour: 1,
          columns: [
            [1.23456, null, 3, 4],
            [2, null, 4, 5],
          ],
        },
      ],
    });
    expect(text).toContain('data-series="[[[1.235,null,3,4],[2,null,4,5]]]"');
    expect(text).toContain("<span>5 ms</span><span>2.5 ms</span><span>0 ms</span>");
    expect(text.match(/class="band b0 s1"/g)).toHaveLength(1);
    expect(text).toContain("&lt;img src=x");
    expect(text).not.toContain("<img");
  });

  it("draws limits that are within its scale, tells all of them, and draws an earlier time dashed", () => {
    const text = chart({
      lines: [{ name: "a", colour: 2, columns: [[40, null, 80, 80]] }],
      limits: [
        { value: 50, tone: "warn", text: "Degraded above 50 ms" },
        { value: 5_000, tone: "bad", text: "Failing above 5 s" },
      ],
      past: { name: "p50 the week before", lines: [[20, 20, null, 20]] },
    });
    expect(text.match(/<line class="limit/g)).toHaveLength(1);
    expect(text).toContain('<line class="limit warn" x1="0" x2="1000" y1="75.0" y2="75.0"');
    expect(text).toContain('data-limits="[[50,&quot;warn&quot;]]"');
    expect(text).toContain('data-past="[[20,20,null,20]]"');
    expect(text).toContain('<path class="past s2" d="M125 150L375 150M875 150h0"');
    for (const told of ["Degraded above 50 ms", "Failing above 5 s", "p50 the week before"]) expect(text).toContain(told);
    expect(chart({ lines: [{ name: "a", colour: 0, columns: [[1]] }] })).not.toContain("guides");
  });

  it("of shares is looked at near 100 %, and is nothing where nothing was measured", () => {
    expect(chart({ unit: "%", isShare: true, lines: [{ name: "a", colour: 0, columns: [[100, 96]] }] })).toContain("<span>95 %</span>");
    expect(chart({ lines: [{ name: "a", colour: 0, columns: [[null, null]] }] })).toBe("");
  });

  it("of layers puts one on top of the other", () => {
    const { text } = stackChart({
      title: "Phases",
      reading: "",
      label: "Phases",
      edgesMs: [0, 10],
      cells: { first: 0, step: 1 },
      ticks: [],
      layers: [
        { name: "DNS", values: [25] },
        { name: "TLS", values: [75] },
      ],
    });
    expect(text).toContain('<path class="p0" d="M0 150L1000 150L1000 200L0 200Z"/><path class="p1" d="M0 0L1000 0L1000 150L0 150Z"/>');
  });

  it("has a lane for what happened meanwhile, as text", () => {
    const mark = { tone: "bad", text: evil } as const;
    const label = (count: number): string => `${count} of them`;
    const all = [
      { name: "Errors", label, marks: [{ ...mark, fromMs: 10, toMs: 20 }] },
      {
        name: "Alerts",
        label,
        marks: [
          { ...mark, fromMs: 30, toMs: 30 },
          { ...mark, fromMs: 41, toMs: 41 },
        ],
      },
      { name: "Incidents", label, marks: [] },
    ];
    const { text } = lanes(all, { fromMs: 0, toMs: 40 });
    expect(text).toContain('x="25.00%" y="25%" width="25.00%"');
    expect(text).toContain('aria-label="1 of them"><circle class="bad" cx="75.00%"');
    expect(text).not.toMatch(/Incidents|<img/);
  });
});
