import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StepWatch } from "../../../src/agent/net/step-watch.ts";

describe("StepWatch", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());
  const signal = new AbortController().signal;

  it("stops a late step once, naming it and its limit", () => {
    const stop = vi.fn<(reason: unknown) => void>();
    const watch = new StepWatch(signal);
    watch.enter("TLS handshake", 50, stop);
    vi.advanceTimersByTime(200);
    expect(stop).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: "ETIMEDOUT", message: "TLS handshake took longer than 50 ms" }),
    );
  });

  it("starts anew with each step, and with progress", () => {
    const stop = vi.fn<(reason: unknown) => void>();
    const watch = new StepWatch(signal);
    watch.enter("a", 50, stop);
    vi.advanceTimersByTime(40);
    watch.enter("b", 50, stop);
    vi.advanceTimersByTime(40);
    watch.progress();
    vi.advanceTimersByTime(40);
    watch.leave();
    vi.advanceTimersByTime(100);
    expect(stop).not.toHaveBeenCalled();
  });

  it("stops the step under way with the caller's reason, and lets no other begin", () => {
    const run = new AbortController();
    const stop = vi.fn<(reason: unknown) => void>();
    const watch = new StepWatch(run.signal);
    watch.enter("a", 50, stop);
    run.abort("cancelled");
    expect(stop).toHaveBeenCalledExactlyOnceWith("cancelled");
    watch.enter("b", 50, stop);
    expect(stop).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaves nothing behind when it is closed", () => {
    const run = new AbortController();
    const stop = vi.fn<(reason: unknown) => void>();
    const watch = new StepWatch(run.signal);
    watch.enter("a", 50, stop);
    watch.close();
    run.abort("late");
    vi.advanceTimersByTime(100);
    expect(stop).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
