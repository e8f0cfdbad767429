import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { AttemptReport } from "#contract/agent-protocol.ts";
import { FakeControlPlane, fakeJob } from "../support/fake-control-plane.ts";
import { scriptedRunner, startAgent } from "./agent-under-test.ts";

const uploadsOf = ({ requests }: FakeControlPlane): readonly (readonly AttemptReport[])[] =>
  requests.flatMap(({ operation, body }) => (operation === "reportAttempts" ? [(body as { reports: AttemptReport[] }).reports] : []));

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

describe("an agent that ends many runs", () => {
  it("uploads them a dozen at a time, a failed one and one that somebody waits for at once", async () => {
    await using fake = await FakeControlPlane.start();
    const runner = scriptedRunner(() => ({ statusCode: 200 }));
    await using _under = await startAgent(fake, { runner, env: { JOB_CONCURRENCY: "50" } });
    const failing = {
      request: { method: "GET", url: "http://target.test/", assertions: [{ source: "STATUS_CODE", comparison: "EQUALS", target: "201" }] },
    };
    const urgent = new Map<string, "failed" | "awaited">();
    for (let number = 0; number < 300; number += 1) {
      const kind = number > 100 && number % 20 === 0 ? (number % 40 === 0 ? "failed" : "awaited") : undefined;
      const job = fakeJob("http://target.test/", kind === "failed" ? { settings: { ...settings, ...failing } } : {});
      if (kind !== undefined) urgent.set(job.jobId, kind);
      fake.enqueue(kind === "awaited" ? { ...job, payload: { ...job.payload, isAwaited: true } } : job);
      await pause(10);
    }
    await fake.until(() => fake.reports.length === 300);

    const uploads = uploadsOf(fake).slice(10); // by then it knows that it is busy
    // What came after it in its upload: what ended in the moment that the outbox takes to write.
    const after = (kind: "failed" | "awaited"): readonly number[] =>
      uploads.flatMap((reports) => reports.flatMap(({ jobId }, index) => (urgent.get(jobId) === kind ? [reports.length - 1 - index] : [])));
    const calm = uploads.filter((reports) => reports.every(({ jobId }) => !urgent.has(jobId)));
    expect(median(after("failed"))).toBeLessThanOrEqual(4);
    expect(median(after("awaited"))).toBeLessThanOrEqual(4);
    expect(median(calm.map(({ length }) => length))).toBeGreaterThanOrEqual(8);
  });

  it("uploads what it ends alone at once, also soon after much", async () => {
    await using fake = await FakeControlPlane.start();
    await using _under = await startAgent(fake, { env: { JOB_CONCURRENCY: "50" } });
    fake.enqueue(...Array.from({ length: 40 }, () => fakeJob("http://target.test/")));
    await fake.until(() => fake.reports.length === 40);
    await pause(1_100);
    const before = uploadsOf(fake).length;
    for (let number = 0; number < 5; number += 1) {
      fake.enqueue(fakeJob("http://target.test/"));
      await fake.until(() => fake.reports.length === 41 + number);
      await pause(60);
    }
    expect(uploadsOf(fake).length - before).toBe(5);
  });
});

const settings = { degradedResponseTime: 5_000, maxResponseTime: 20_000 };
