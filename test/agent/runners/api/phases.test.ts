import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newDialTrace } from "../../../../src/agent/net/connection.ts";
import { attemptPhases, type HopTrace, phaseNames, timingsOf } from "../../../../src/agent/runners/api/phases.ts";

const step = fc.double({ min: 0, max: 5_000, noNaN: true });
const wholeHop = fc.record({ secure: fc.boolean(), steps: fc.array(step, { minLength: 6, maxLength: 6 }) });

function hop(startMs: number, secure: boolean, steps: readonly number[]): HopTrace {
  let atMs = startMs;
  const next = (index: number): number => (atMs += steps[index] ?? 0);
  const [socketMs, lookupMs, connectMs] = [next(0), next(1), next(2)];
  const secureConnectMs = secure ? next(3) : null;
  return {
    ...newDialTrace(),
    startMs,
    secure,
    socketMs,
    lookupMs,
    connectMs,
    secureConnectMs,
    responseMs: next(4),
    endMs: next(5),
    statusCode: 200,
  };
}

describe("the phases of an attempt", () => {
  it("sum to the time from the first hop's start to the last hop's end, however many hops there are", () => {
    fc.assert(
      fc.property(fc.array(wholeHop, { minLength: 1, maxLength: 11 }), step, (shapes, startedMs) => {
        const hops: HopTrace[] = [];
        for (const { secure, steps } of shapes) hops.push(hop(hops.at(-1)?.endMs ?? startedMs, secure, steps));
        const phases = attemptPhases(hops);
        const { timings, timingPhases } = timingsOf(phases);
        const sum = phaseNames.reduce((total, name) => total + (phases[name] ?? Number.NaN), 0);
        expect(sum).toBeCloseTo(timingPhases.total, 2);
        expect(Math.abs(timingPhases.total - ((hops.at(-1)?.endMs ?? 0) - startedMs))).toBeLessThan(0.1);
        expect(timings.end).toBe(timingPhases.total);
        expect((timings.lookup ?? 0) - timings.socket).toBeCloseTo(timingPhases.dns, 2);
        expect((timings.connect ?? 0) - (timings.lookup ?? 0)).toBeCloseTo(timingPhases.tcp, 2);
      }),
    );
  });

  it.each([
    [{ socketMs: 12 }, { wait: 2, dns: null, tcp: null, tls: null, firstByte: null, download: null }],
    [
      { socketMs: 12, lookupMs: 13, connectMs: 15 },
      { wait: 2, dns: 1, tcp: 2, tls: null, firstByte: null, download: null },
    ],
    [
      { socketMs: 12, lookupMs: 13, connectMs: 15, secureConnectMs: 19, responseMs: 20 },
      { wait: 2, dns: 1, tcp: 2, tls: 4, firstByte: 1, download: null },
    ],
  ])("are null where it did not get so far: %j", (reached, expected) => {
    const cut: HopTrace = { ...newDialTrace(), startMs: 10, secure: true, responseMs: null, endMs: null, statusCode: null, ...reached };
    expect(attemptPhases([cut])).toEqual(expected);
    expect(attemptPhases([hop(0, false, [1, 1, 1, 1, 1, 1]), cut]).download).toBeNull();
  });

  it("have no TLS without TLS", () => {
    expect(attemptPhases([hop(0, false, [1, 1, 1, 9, 1, 1])]).tls).toBe(0);
    expect(timingsOf(attemptPhases([hop(0, false, [1, 1, 1, 9, 1, 1])])).timings.secureConnect).toBeNull();
  });
});
