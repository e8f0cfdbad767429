import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasEnded, type SessionCounters, sessionStatus, v1Status } from "#domain/session-status.ts";

const counters = (given: Partial<SessionCounters> = {}): SessionCounters => ({
  locations: 3,
  passed: 0,
  degraded: 0,
  failed: 0,
  missed: 0,
  cancelled: 0,
  begun: true,
  ...given,
});

describe("sessionStatus", () => {
  it.each([
    [{ begun: false }, "STARTED"],
    [{}, "PROGRESS"],
    [{ begun: false, passed: 1 }, "PROGRESS"],
    [{ missed: 2 }, "PROGRESS"],
    [{ failed: 1, degraded: 1 }, "PROGRESS_FAILED"],
    [{ degraded: 1, passed: 1 }, "PROGRESS_DEGRADED"],
    [{ passed: 3 }, "PASSED"],
    [{ passed: 2, degraded: 1 }, "DEGRADED"],
    [{ passed: 1, degraded: 1, failed: 1 }, "FAILED"],
    [{ passed: 2, missed: 1 }, "TIMED_OUT"],
    [{ degraded: 2, missed: 1 }, "TIMED_OUT"],
    [{ failed: 1, missed: 2 }, "FAILED"],
    [{ failed: 1, passed: 1, cancelled: 1 }, "CANCELLED"],
    [{ cancelled: 3 }, "CANCELLED"],
    [{ locations: 0 }, "TIMED_OUT"],
  ] as const)("%o is %s", (given, expected) => {
    expect(sessionStatus(counters(given))).toBe(expected);
  });

  it("ends exactly when every location has", () => {
    const count = fc.nat({ max: 4 });
    fc.assert(
      fc.property(
        fc.record({
          passed: count,
          degraded: count,
          failed: count,
          missed: count,
          cancelled: count,
          locations: fc.integer({ min: 1, max: 20 }),
          begun: fc.boolean(),
        }),
        (given) => {
          const ended = given.passed + given.degraded + given.failed + given.missed + given.cancelled;
          expect(hasEnded(sessionStatus(given))).toBe(ended >= given.locations);
        },
      ),
    );
  });

  it("v1 tells a cancelled session as timed out", () => {
    expect(v1Status("CANCELLED")).toBe("TIMED_OUT");
    expect(v1Status("FAILED")).toBe("FAILED");
  });
});
