import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { Dispatcher } from "../../../src/control-plane/jobs/dispatcher.ts";
import type { LeasedJobRow } from "../../../src/control-plane/storage/storage.ts";

/** A dispatcher whose store leases only when told to. */
function dispatcher() {
  const asked = Promise.withResolvers<void>();
  const rows = Promise.withResolvers<readonly LeasedJobRow[]>();
  const released: number[] = [];
  const jobs = {
    lease: () => {
      asked.resolve();
      return rows.promise;
    },
    release: async (_session: number, refs: readonly { no: number }[]) => {
      released.push(...refs.map(({ no }) => no));
      return [];
    },
    queueDepths: async () => [],
  };
  const made = new Dispatcher({
    jobs,
    signals: { onJobs: () => () => undefined },
    nowMs: () => 0,
    leaseMs: 1,
    log: pino({ level: "silent" }),
  });
  // Only number and fence matter here.
  const grant = (...nos: number[]): void => rows.resolve(nos.map((no) => ({ no, fence: 1 }) as LeasedJobRow));
  return { made, asked: asked.promise, grant, released };
}

const agent = { id: 7, locationId: 1, checkTypes: ["API"], runtimes: [] };
const wait = { max: 2, waitMs: 600_000 };
const ends = [
  { how: "its client went away", end: (client: AbortController) => client.abort() },
  { how: "its agent drains", end: (_client: AbortController, made: Dispatcher) => made.endPolls(agent) },
];

describe("a poll", () => {
  it.each(ends)("gives back at once what was leased while $how", async ({ end }) => {
    const { made, asked, grant, released } = dispatcher();
    const client = new AbortController();
    const poll = made.poll({ agent, ...wait, signal: client.signal });
    await asked;
    end(client, made);
    grant(3, 4);
    expect(await poll).toEqual([]);
    expect(released).toEqual([3, 4]);
    expect(made.waiting()).toBe(0);
  });

  it.each(ends)("that is parked ends when $how", async ({ end }) => {
    const { made, asked, grant, released } = dispatcher();
    const client = new AbortController();
    const poll = made.poll({ agent, ...wait, signal: client.signal });
    grant();
    await asked;
    end(client, made);
    expect(await poll).toEqual([]);
    expect(released).toEqual([]);
  });

  it("is the oldest of an agent's eight and ends when a ninth comes", async () => {
    const { made, grant } = dispatcher();
    grant();
    const { signal } = new AbortController();
    const polls = Array.from({ length: 9 }, () => made.poll({ agent, ...wait, signal }));
    expect(await polls[0]).toEqual([]);
    expect(made.waiting()).toBe(8);
    made.endPolls(agent);
    await Promise.all(polls);
  });

  it("of another agent stays", async () => {
    const { made, grant } = dispatcher();
    const poll = made.poll({ agent, ...wait, signal: new AbortController().signal });
    made.endPolls({ ...agent, id: 8 });
    grant(5);
    expect(await poll).toMatchObject([{ no: 5 }]);
  });
});
