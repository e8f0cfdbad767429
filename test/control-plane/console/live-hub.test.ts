import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { createLiveHub } from "../../../src/control-plane/console/live/live-hub.ts";
import { createLiveSignIns } from "../../../src/control-plane/console/live/live-sign-ins.ts";
import type { AccountReading, WantedView } from "../../../src/control-plane/console/live/live-view.ts";
import { wantedOverview } from "../../../src/control-plane/console/live/overview-live.ts";
import type { SignedIn } from "../../../src/control-plane/console/sign-in/signed-in.ts";
import type { Visit } from "../../../src/control-plane/console/visit.ts";
import type { Viewer } from "../../../src/control-plane/http/live-routes.ts";
import type { AccountRow, IndexedCheck, Storage } from "../../../src/control-plane/storage/storage.ts";
import { eventually } from "../control-plane-under-test.ts";
import { account, agent, check, leaseOne, location, report, start, t0, useEngines } from "../storage/fixture.ts";

const engines = await useEngines();
const log = pino({ level: "silent" });

interface Listener extends Viewer {
  readonly heard: string[];
}

function listener(): Listener {
  const heard: string[] = [];
  return { heard, send: (events) => void heard.push(...events.toString().split("\n\n").slice(0, -1)), end: () => void heard.push("end") };
}

/** The store with a book of the accounts that were asked for. */
function asked(storage: Storage) {
  const accounts: number[] = [];
  const checkIndex = { ofAccount: (id: number) => (accounts.push(id), storage.checkIndex.ofAccount(id)) };
  const counted: (number | string)[] = [];
  const liveMetrics = {
    setOpenPages: (count: number) => void counted.push(count),
    countLostPage: (reason: string) => void counted.push(reason),
  };
  return { accounts, counted, deps: { ...storage, checkIndex, log, liveMetrics, nowMs: () => t0 + 10_000, agentGoneMs: 60_000 } };
}

function visitOf(owner: AccountRow): Visit {
  return { ...signedIn(owner), accounts: [], placeName: (code) => code, request: {} as Visit["request"], audit: async () => undefined };
}

function signedIn(owner: AccountRow, role: SignedIn["role"] = "OWNER"): SignedIn {
  const actor = { userId: "u", userName: "ada@example.com", role };
  return { account: owner, role, user: null, actor, csrf: "", tokenHash: "hash", method: "password", barred: null };
}

describe.each(engines.names)("what tells open pages, on %s", { timeout: 120_000 }, (engine) => {
  it("asks of accounts that somebody looks at, and tells all who see the same", async () => {
    const storage = await engines.open(engine);
    const [owner, other] = [await account(storage), await account(storage)];
    const berlin = await location(storage, owner.id);
    const ran = await check(storage, owner.id, [berlin.id]);
    await check(storage, other.id, [berlin.id]);
    const { accounts, deps } = asked(storage);
    const hub = createLiveHub(deps);
    await hub.start();
    const [first, second] = [listener(), listener()];
    const leave = [first, second].map((one) => hub.join(one, [wantedOverview(new URLSearchParams(), deps)], visitOf(owner)));
    await eventually(async () => first.heard.length >= 3 && second.heard.length >= 3);
    expect(first.heard.map((event) => event.split("\n")[0])).toEqual(["event: row", "event: order", "event: counters"]);
    await start(storage, ran, [berlin.id]);
    const by = await agent(storage, berlin);
    await storage.results.ingest(by, [report(await leaseOne(storage, by), { hasFailures: true })], t0 + 9_000);
    await eventually(async () => first.heard.length >= 5 && second.heard.length >= 5);
    expect(second.heard.slice(3).map((event) => event.split("\n")[0])).toEqual(["event: row", "event: counters"]);
    expect(first.heard).toEqual(second.heard);
    expect(new Set(accounts)).toEqual(new Set([owner.id]));
    for (const one of leave) one();
    await hub.stop(AbortSignal.timeout(1_000));
  });
});

describe("open pages", { timeout: 120_000 }, () => {
  it("are only so many, and fewer of one person", async () => {
    const { deps, counted } = asked(await engines.open("sqlite"));
    const hub = createLiveHub({ ...deps, maxViewers: 3, maxOfPerson: 2 });
    const leave = ["ada", "ada"].map((person) => hub.takeSeat(person));
    expect(() => hub.takeSeat("ada")).toThrow("Too many pages of yours are open");
    const bobLeaves = hub.takeSeat("bob");
    expect(() => hub.takeSeat("cleo")).toThrow("Too many pages are open");
    bobLeaves();
    for (const one of leave) one();
    hub.takeSeat("ada");
    expect(counted).toEqual([1, 2, "person", 3, "full", 2, 1, 0, 1]);
  });

  it("get what is slow one after another, the oldest first, and the rest in the next turn", async () => {
    const storage = await engines.open("sqlite");
    const owner = await account(storage);
    let [now, turns] = [t0, 0];
    const made: string[] = [];
    const slowView = (name: string, sinceMs: number): WantedView => ({
      key: name,
      has: new Set(),
      make: () => ({
        look: async () => {
          turns += name === "first" ? 1 : 0;
          return [];
        },
        tell: () => undefined,
        slow: {
          dueSinceMs: () => (made.some((one) => one.startsWith(name)) ? null : sinceMs),
          catchUp: async () => {
            made.push(`${name} in turn ${turns}`);
            now += name === "second" ? 250 : 50;
          },
        },
      }),
    });
    const hub = createLiveHub({ ...asked(storage).deps, nowMs: () => now });
    const leave = hub.join(listener(), [slowView("third", 3), slowView("second", 2), slowView("first", 1)], visitOf(owner));
    await hub.start();
    await eventually(async () => made.length === 3);
    expect(made).toEqual(["first in turn 1", "second in turn 1", "third in turn 2"]);
    leave();
    await hub.stop(AbortSignal.timeout(1_000));
  });

  it("hear later of what a failure kept from them", async () => {
    const storage = await engines.open("sqlite");
    const owner = await account(storage);
    const berlin = await location(storage, owner.id);
    const ran = await check(storage, owner.id, [berlin.id]);
    let isFailing = false;
    const heard: number[] = [];
    const look = async ({ changed }: AccountReading): Promise<readonly IndexedCheck[]> => {
      if (isFailing && changed.size > 0) {
        isFailing = false;
        throw new Error("no database");
      }
      heard.push(...changed);
      return [];
    };
    const hub = createLiveHub(asked(storage).deps);
    const view: WantedView = { key: "view", has: new Set(), make: () => ({ look, tell: () => undefined }) };
    const leave = hub.join(listener(), [view], visitOf(owner));
    await hub.start();
    await eventually(async () => heard.length === 1);
    isFailing = true;
    await start(storage, ran, [berlin.id]);
    const by = await agent(storage, berlin);
    await storage.results.ingest(by, [report(await leaseOne(storage, by))], t0 + 9_000);
    await eventually(async () => heard.length === 2);
    expect([isFailing, new Set(heard).size]).toEqual([false, 1]);
    leave();
    await hub.stop(AbortSignal.timeout(1_000));
  });

  it("end when their person is removed, goes to another account, or signs out", async () => {
    const storage = await engines.open("sqlite");
    const [owner, other] = [await account(storage), await account(storage)];
    let now: SignedIn | undefined = signedIn(owner);
    let signOut = (_tokenHash: string): void => undefined;
    const signIns = { look: async () => now, onEnd: (told: typeof signOut) => void (signOut = told) };
    const bound = createLiveSignIns(signIns, log, 1);
    await bound.start();
    const stays = listener();
    const leave = bound.bind(stays, signedIn(owner), {});
    expect(stays.heard).toEqual([]);
    signOut("hash");
    expect(stays.heard).toEqual(["end"]);
    leave();
    for (const next of [undefined, signedIn(other)]) {
      now = next;
      const ends = listener();
      const forget = bound.bind(ends, signedIn(owner), {});
      await eventually(async () => ends.heard.length > 0);
      forget();
    }
    await bound.stop(AbortSignal.timeout(1_000));
  });
});
