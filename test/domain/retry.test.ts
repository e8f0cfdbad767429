import { describe, expect, it } from "vitest";
import { RetryStrategy } from "#contract/checks/retry-strategy.ts";
import { decideRetry, effectiveRetryStrategy } from "#domain/retry.ts";

const strategy = (given: Partial<RetryStrategy> = {}): RetryStrategy => ({
  ...RetryStrategy.parse({ type: "FIXED", baseBackoffSeconds: 5, maxRetries: 3 }),
  ...given,
});
const decide = (given: Partial<Parameters<typeof decideRetry>[0]> = {}) =>
  decideRetry({ strategy: strategy(), failedAttempts: 1, elapsedMs: 0, networkError: false, ...given });

describe("decideRetry", () => {
  it.each([
    ["FIXED", [5, 5, 5]],
    ["LINEAR", [5, 10, 15]],
    ["EXPONENTIAL", [5, 25, 125]],
  ] as const)("%s waits %o seconds", (type, delays) => {
    expect([1, 2, 3].map((failedAttempts) => decide({ strategy: strategy({ type }), failedAttempts }))).toEqual(
      delays.map((delay) => ({ retry: true, delayMs: delay * 1_000 })),
    );
    expect(decide({ strategy: strategy({ type }), failedAttempts: 4 })).toEqual({ retry: false, because: "retries_used_up" });
  });

  it("SINGLE_RETRY retries once, whatever maxRetries says", () => {
    const single = strategy({ type: "SINGLE_RETRY", maxRetries: 10 });
    expect(decide({ strategy: single })).toEqual({ retry: true, delayMs: 5_000 });
    expect(decide({ strategy: single, failedAttempts: 2 })).toEqual({ retry: false, because: "retries_used_up" });
  });

  it.each([
    [15_000, true],
    [15_001, false],
    [100_000, false],
  ])("with 20 seconds in all, after %i ms: %s", (elapsedMs, retry) => {
    expect(decide({ strategy: strategy({ maxDurationSeconds: 20 }), elapsedMs }).retry).toBe(retry);
  });

  it("retries only network errors where that is asked", () => {
    const only = strategy({ onlyOn: ["NETWORK_ERROR"] });
    expect(decide({ strategy: only })).toEqual({ retry: false, because: "not_a_network_error" });
    expect(decide({ strategy: only, networkError: true }).retry).toBe(true);
    expect(decide({ strategy: strategy({ onlyOn: [] }) }).retry).toBe(true);
  });

  it("never retries without a strategy, or what was cancelled", () => {
    expect(decide({ strategy: null })).toEqual({ retry: false, because: "no_strategy" });
    expect(decide({ alreadyCancelled: true })).toEqual({ retry: false, because: "cancelled" });
  });
});

describe("effectiveRetryStrategy", () => {
  it("looks a second time at once, at the same place, where only doubleCheck is set", () => {
    expect(effectiveRetryStrategy({ doubleCheck: true })).toMatchObject({ type: "SINGLE_RETRY", baseBackoffSeconds: 0, sameRegion: true });
  });
  it.each([
    [{ retryStrategy: null, doubleCheck: true }, null],
    [{ doubleCheck: false }, null],
    [{}, null],
  ])("%o means no retries", (check, expected) => {
    expect(effectiveRetryStrategy(check)).toBe(expected);
  });
  it("keeps a strategy that is set", () => {
    const own = strategy();
    expect(effectiveRetryStrategy({ retryStrategy: own, doubleCheck: true })).toBe(own);
  });
});
