import fc from "fast-check";
import { expect, it } from "vitest";
import { scriptLimits } from "../../../src/agent/sandbox/script-limits.ts";
import { fitting } from "../../../src/agent/scripts/fitting.ts";

const request = { method: "POST", url: "http://x/", headers: { a: "1" }, queryParameters: {} };
const response = { statusCode: 200, statusText: "OK", headers: {}, timings: {}, timingPhases: {} };
/** Up to 600 KB, of characters that JSON makes longer and of such that have two halves. */
const anyBody = fc
  .tuple(fc.constantFrom("", "a", '"', "\n", "ü", "😀", "\u0001", "a😀"), fc.integer({ min: 0, max: 300_000 }))
  .map(([text, times]) => text.repeat(times / Math.max(1, text.length)));

it("what is handed to teardown fits, as a beginning of both bodies, and is whole where that fits", () => {
  fc.assert(
    fc.property(anyBody, fc.option(anyBody), fc.integer({ min: 0, max: 200_000 }), (sent, answered, variableLength) => {
      const env = { LONG: "v".repeat(variableLength) };
      const bytesOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));
      const whole = { request: { ...request, body: sent }, response: answered === null ? null : { ...response, body: answered } };
      const { isCut, ...handed } = fitting(env, whole.request, whole.response);
      expect(bytesOf({ env, ...handed })).toBeLessThanOrEqual(scriptLimits.handedBytes);
      expect(isCut).toBe(bytesOf({ env, ...whole }) > scriptLimits.handedBytes);
      for (const [cut, full] of [
        [handed.request.body, sent],
        [handed.response?.body ?? "", answered ?? ""],
      ] as const) {
        expect(full.startsWith(cut)).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});
