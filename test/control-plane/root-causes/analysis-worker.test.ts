import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { type AnalysisWorkerDeps, createAnalysisWorker } from "../../../src/control-plane/root-causes/analysis-worker.ts";
import { analysisStore } from "./some-store.ts";

describe("the worker that makes analyses", () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });
  const started = async (change: Partial<AnalysisWorkerDeps>) => {
    const { deps, ...store } = analysisStore();
    const worker = createAnalysisWorker({ ...deps, log: pino({ level: "silent" }), restMs: 60_000, ...change });
    stops.push(() => worker.stop(AbortSignal.timeout(1_000)));
    await worker.start();
    return { ...store, worker };
  };

  it("sleeps until it is woken, and makes what was asked for", async () => {
    const site = await started({});
    site.ask("a");
    expect(site.states()).toEqual({ a: "PENDING" });
    site.worker.wake();
    await site.until(() => site.states()["a"] === "COMPLETED");
  });

  it("gives up after three attempts that fail, and at once where what failed is gone", async () => {
    let calls = 0;
    const site = await started({
      askModel: async () => {
        calls += 1;
        throw new Error("a bug");
      },
    });
    site.ask("a");
    site.ask("gone", 404);
    for (let count = 0; count < 3; count += 1) {
      site.worker.wake();
      await site.until(() => calls > count);
      site.expireClaims();
    }
    await site.until(() => site.states()["a"] === "FAILED");
    expect([calls, site.states()["gone"]]).toEqual([3, "FAILED"]);
  });

  it("leaves what it was at to others when it stops", async () => {
    const gate = Promise.withResolvers<void>();
    const site = await started({
      askModel: (_row, _found, signal) =>
        new Promise((_resolve, reject) => {
          gate.resolve();
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    });
    site.ask("a");
    site.worker.wake();
    await gate.promise;
    await site.worker.stop(AbortSignal.timeout(1_000));
    expect(site.states()).toEqual({ a: "PENDING" });
  });
});
