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

describe("the line of a location", () => {
  /** A store that has no jobs until they are put there. */
  function scene() {
    const waiting: number[] = [];
    const leases: string[][] = [];
    let tell = (_locations: readonly number[]): void => undefined;
    const made = new Dispatcher({
      jobs: {
        lease: async ({ checkTypes, max }) => {
          leases.push([...checkTypes]);
          return waiting.splice(0, max).map((no) => ({ no, fence: 1 }) as LeasedJobRow);
        },
        release: async () => [],
        queueDepths: async () => [],
      },
      signals: {
        onJobs: (listener) => {
          tell = listener;
          return () => undefined;
        },
      },
      nowMs: () => 0,
      leaseMs: 1,
      log: pino({ level: "silent" }),
    });
    const come = (...nos: number[]): void => {
      waiting.push(...nos);
      tell([1]);
    };
    return { made, leases, come };
  }
  const settled = () => new Promise(setImmediate);

  it("asks the store once where there is nothing, however many polls come, and again when jobs came", async () => {
    const { made, leases, come } = scene();
    await made.start();
    const { signal } = new AbortController();
    const first = made.poll({ agent, ...wait, signal });
    await settled();
    const second = made.poll({ agent: { ...agent, id: 8 }, ...wait, signal });
    await settled();
    expect(leases).toHaveLength(1);
    come(3, 4);
    expect(await Promise.all([first, second])).toMatchObject([[{ no: 3 }], [{ no: 4 }]]);
    const third = made.poll({ agent, ...wait, signal });
    come(5);
    expect(await third).toMatchObject([{ no: 5 }]);
    await made.stop(AbortSignal.timeout(1_000));
  });

  it("asks for an agent of another kind", async () => {
    const { made, leases } = scene();
    await made.start();
    const { signal } = new AbortController();
    const polls = [made.poll({ agent, ...wait, signal })];
    await settled();
    polls.push(made.poll({ agent: { ...agent, checkTypes: ["TCP"] }, ...wait, signal }));
    await settled();
    expect(leases).toEqual([["API"], ["TCP"]]);
    made.endPolls(agent);
    await Promise.all(polls);
    await made.stop(AbortSignal.timeout(1_000));
  });
});
