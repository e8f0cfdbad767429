import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { untilAborted } from "#daemon/until-aborted.ts";

const over = new Error("it is over");

describe("waiting until a signal aborts", () => {
  it("answers what the work answers, and fails as it fails", async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(signal, Promise.resolve(7))).toBe(7);
    await expect(untilAborted(signal, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  });

  it("ends with the signal's reason while the work goes on", async () => {
    const controller = new AbortController();
    const waiting = untilAborted(controller.signal, Promise.withResolvers<never>().promise);
    controller.abort(over);
    await expect(waiting).rejects.toBe(over);
  });

  it.each([
    ["before the wait began", true],
    ["during the wait", false],
  ])(
    "drops the work's error where the signal aborted %s: an agent that broke off an upload ended the control plane",
    async (_, isEarly) => {
      const unheard = vi.fn<() => void>();
      const others = process.listeners("unhandledRejection");
      process.removeAllListeners("unhandledRejection").on("unhandledRejection", unheard);
      const controller = new AbortController();
      if (isEarly) controller.abort(over);
      const { promise: work, reject } = Promise.withResolvers<never>();
      const waiting = untilAborted(controller.signal, work);
      controller.abort(over);
      reject(new Error("the connection broke"));
      await expect(waiting).rejects.toBe(over);
      await turn();
      await turn();
      process.removeAllListeners("unhandledRejection");
      for (const other of others) process.on("unhandledRejection", other);
      expect(unheard).not.toHaveBeenCalled();
    },
  );
});
