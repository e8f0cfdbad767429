import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dayMs, type IncidentSpan, serviceHistory, spanOf } from "#domain/service-history.ts";

const hourMs = 3_600_000;
const today = 20_000 * dayMs;
const now = today + 12 * hourMs;
const span = (change: Partial<IncidentSpan>): IncidentSpan => ({ severity: "MAJOR", fromMs: now - hourMs, toMs: null, ...change });

describe("the history of a service", () => {
  it("is unknown before it was made, and quiet since", () => {
    const { days, uptime, current } = serviceHistory([], today - dayMs - 1, now, 4);
    expect(days.map(({ startMs, isKnown, worst }) => [startMs, isKnown, worst])).toEqual([
      [today - 3 * dayMs, false, null],
      [today - 2 * dayMs, true, null],
      [today - dayMs, true, null],
      [today, true, null],
    ]);
    expect([uptime, current]).toEqual([100, null]);
  });

  it("tells of each day the worst, and how long something went on", () => {
    const { days } = serviceHistory(
      [
        span({ severity: "MINOR", fromMs: today - 5 * hourMs, toMs: today + 2 * hourMs }),
        span({ severity: "CRITICAL", fromMs: today - 2 * hourMs, toMs: today - hourMs }),
        span({ severity: "MEDIUM", fromMs: today + hourMs, toMs: today + 3 * hourMs }),
      ],
      0,
      now,
      2,
    );
    expect(days.map(({ worst, struckMs }) => [worst, struckMs / hourMs])).toEqual([
      ["CRITICAL", 5],
      ["MEDIUM", 3],
    ]);
  });

  it("counts the time without an outage; what only slows counts as up, and what overlaps counts once", () => {
    const outages = [
      span({ severity: "MINOR", fromMs: 0 }),
      span({ fromMs: today, toMs: today + 2 * hourMs }),
      span({ severity: "CRITICAL", fromMs: today + hourMs, toMs: today + 3 * hourMs }),
    ];
    expect(serviceHistory(outages, 0, now, 1).uptime).toBe(75);
    expect(serviceHistory([span({ fromMs: today + 6 * hourMs })], 0, now, 1).uptime).toBe(50);
  });

  it.each([
    [[], null],
    [[span({ toMs: now })], null],
    [[span({ severity: "MINOR" }), span({ severity: "MEDIUM" })], "MEDIUM"],
    [[span({ fromMs: now + 1 })], null],
  ])("stands now by what is open: %j is %s", (spans, current) => {
    expect(serviceHistory(spans, 0, now, 3).current).toBe(current);
  });

  it("has no uptime before the service is known for a day, whatever happened to it", () => {
    const struck = [span({ severity: "MAJOR", fromMs: now - 60_000 })];
    expect(serviceHistory(struck, now - 120_000, now, 90).uptime).toBeNull();
    expect(serviceHistory([], now - dayMs + 1, now, 90).uptime).toBeNull();
    expect(serviceHistory([], now - dayMs, now, 90).uptime).toBe(100);
  });

  it("of a service of this moment has no uptime", () => {
    expect(serviceHistory([], now, now, 3).uptime).toBeNull();
    expect(serviceHistory([], now + 5, now, 3).uptime).toBeNull();
  });

  it("stays within its bounds", () => {
    const anySpan = fc.record({
      severity: fc.constantFrom("CRITICAL", "MAJOR", "MEDIUM", "MINOR"),
      fromMs: fc.integer({ min: now - 10 * dayMs, max: now + dayMs }),
      toMs: fc.option(fc.integer({ min: now - 10 * dayMs, max: now + dayMs })),
    });
    fc.assert(
      fc.property(fc.array(anySpan), fc.integer({ min: now - 9 * dayMs, max: now }), (spans, createdAtMs) => {
        const { days, uptime } = serviceHistory(spans, createdAtMs, now, 7);
        expect(days).toHaveLength(7);
        for (const { struckMs } of days) expect(struckMs >= 0 && struckMs <= dayMs).toBe(true);
        expect(uptime === null || (uptime >= 0 && uptime <= 100)).toBe(true);
      }),
    );
  });

  it("goes from the first update to the one that resolved, by the dates that pages tell", () => {
    const update = (status: "INVESTIGATING" | "RESOLVED", publicAtMs: number) =>
      ({ id: "x", description: "", notifySubscribers: false, createdAtMs: 99, status, publicAtMs }) as const;
    const of = (updates: readonly ReturnType<typeof update>[]) => spanOf({ name: "x", severity: "MINOR", serviceIds: [], updates }, 50);
    expect(of([])).toEqual({ severity: "MINOR", fromMs: 50, toMs: null });
    expect(of([update("INVESTIGATING", 10)])).toEqual({ severity: "MINOR", fromMs: 10, toMs: null });
    expect(of([update("RESOLVED", 30), update("INVESTIGATING", 10)])).toEqual({ severity: "MINOR", fromMs: 10, toMs: 30 });
    expect(of([update("RESOLVED", 10), update("INVESTIGATING", 30)])).toMatchObject({ toMs: null });
  });
});
