import { describe, expect, it } from "vitest";
import { createProgress } from "../../src/agent/contact/poll-progress.ts";
import { systemClock } from "../../src/agent/host/clock.ts";
import { createJobQueue } from "../../src/agent/runs/job-queue.ts";
import { sampleLoopDelay } from "../../src/agent/runs/loop-delay.ts";
import { createStartPacer, startGapMs } from "../../src/agent/runs/start-pacer.ts";

const never = new AbortController().signal;
const queueTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the start pacer", () => {
  it("starts at most one run per turn of the event loop, first come first served", async () => {
    const pacer = createStartPacer(systemClock);
    const started: number[] = [];
    const all = Promise.all([1, 2, 3, 4, 5].map((n) => pacer.admit().then(() => started.push(n))));
    let most = 0;
    for (let before = 0; started.length < 5; before = started.length) {
      await turn();
      most = Math.max(most, started.length - before);
    }
    await all;
    expect(started).toEqual([1, 2, 3, 4, 5]);
    expect(most).toBe(1);
  });

  it("starts a lone run in the next turn, whatever was before", async () => {
    let nowMs = 0;
    const pacer = createStartPacer({ monotonicMs: () => nowMs, wallMs: () => nowMs });
    await pacer.admit();
    nowMs = 100;
    let isStarted = false;
    void pacer.admit().then(() => (isStarted = true));
    await turn();
    await turn();
    expect(isStarted).toBe(true);
  });

  it.each([
    [0, 1.5],
    [200, 0.75],
    [400, 0],
    [10_000, 0],
  ])("leaves after %d ms of work a gap of %d ms", (busyMs, gapMs) => {
    expect(startGapMs(busyMs)).toBe(gapMs);
  });
});

describe("the job queue", () => {
  it("gives the seat of a run that only waits to the next one, and counts it as running still", async () => {
    const queue = createJobQueue(1, createStartPacer(systemClock));
    const dead = Promise.withResolvers<string>();
    const slow = queue.run(() => dead.promise, "new", never, 0);
    expect(await queue.run(async () => "healthy", "new", never)).toBe("healthy");
    await queueTurn();
    expect([queue.running(), queue.besideSeats()]).toEqual([1, 1]);
    dead.resolve("answered after all");
    expect(await slow).toBe("answered after all");
    await queueTurn();
    expect([queue.running(), queue.besideSeats()]).toEqual([0, 0]);
  });

  it("lets fifty runs for each seat wait beside it, and no more", async () => {
    const queue = createJobQueue(1, createStartPacer(systemClock));
    const dead = Promise.withResolvers<void>();
    const runs = Array.from({ length: 60 }, () => queue.run(() => dead.promise, "new", never, 0));
    while (queue.besideSeats() < 50 || queue.running() < 51) await queueTurn();
    for (let turns = 0; turns < 20; turns += 1) await queueTurn();
    expect([queue.besideSeats(), queue.running(), queue.waiting(), queue.freeSeats()]).toEqual([50, 51, 9, 0]);
    dead.resolve();
    await Promise.all(runs);
  });

  it("lets retries go before new jobs and counts seats", async () => {
    const queue = createJobQueue(1, createStartPacer(systemClock));
    const gate = Promise.withResolvers<void>();
    const order: string[] = [];
    const first = queue.run(() => gate.promise, "new", never);
    const others = [
      queue.run(async () => void order.push("new"), "new", never),
      queue.run(async () => void order.push("retry"), "retry", never),
    ];
    expect(queue.freeSeats()).toBe(0);
    expect(queue.waiting()).toBe(2);
    gate.resolve();
    await Promise.all([first, ...others]);
    expect(order).toEqual(["retry", "new"]);
    await queue.seatFreed(never);
    expect(queue.freeSeats()).toBe(1);
  });

  it("rejects a waiting job with its abort reason at once, and never starts it", async () => {
    const queue = createJobQueue(1, createStartPacer(systemClock));
    const gate = Promise.withResolvers<void>();
    const first = queue.run(() => gate.promise, "new", never);
    const cancelling = new AbortController();
    let isStarted = false;
    const waiting = queue.run(async () => void (isStarted = true), "new", cancelling.signal);
    cancelling.abort(new Error("cancelled"));
    await expect(waiting).rejects.toThrow("cancelled");
    gate.resolve();
    await first;
    await queue.seatFreed(never);
    expect(isStarted).toBe(false);
  });

  it("leaves the outcome of a started run to the run, also when it is aborted", async () => {
    const queue = createJobQueue(1, createStartPacer(systemClock));
    const cancelling = new AbortController();
    const run = queue.run(
      async () => {
        cancelling.abort(new Error("cancelled"));
        return "reported";
      },
      "new",
      cancelling.signal,
    );
    await expect(run).resolves.toBe("reported");
  });

  it("stops waiting for a seat when nobody wants one any more", async () => {
    const queue = createJobQueue(1, createStartPacer(systemClock));
    const gate = Promise.withResolvers<void>();
    const first = queue.run(() => gate.promise, "new", never);
    const stopping = new AbortController();
    const freed = queue.seatFreed(stopping.signal);
    stopping.abort();
    await expect(freed).resolves.toBeUndefined();
    gate.resolve();
    await first;
  });
});

describe("the loop-delay sampler", () => {
  it("finds the worst delay since a moment, also one that has not ended", () => {
    let nowMs = 0;
    const delay = sampleLoopDelay({ monotonicMs: () => nowMs, wallMs: () => nowMs });
    nowMs = 500;
    expect(delay.worstSince(0)).toBe(480);
    delay.stop();
  });
});

describe("progress", () => {
  it("is missing once a wait took longer than was said, and a margin", () => {
    let nowMs = 0;
    const progress = createProgress({ monotonicMs: () => nowMs, wallMs: () => nowMs });
    expect(progress.isMoving()).toBe(true);
    progress.expectWithin(1_000);
    nowMs = 30_999;
    expect(progress.isMoving()).toBe(true);
    nowMs = 31_001;
    expect(progress.isMoving()).toBe(false);
    progress.expectWithin(1_000);
    expect(progress.isMoving()).toBe(true);
  });
});
