import { isDeepStrictEqual } from "node:util";
import { afterAll, afterEach, beforeEach, describe, expect } from "vitest";
import { getCheckSessionV1 } from "#contract/check-sessions.ts";
import { getCheckV1 } from "#contract/checks/operations.ts";
import type { Operation } from "#contract/operation.ts";
import { operations } from "#contract/operations.ts";
import { nothingOf } from "../control-plane/bad-requests.ts";
import { eventStream } from "../control-plane/console/event-stream.ts";
import { keyHolder } from "../control-plane/console/key-holder.ts";
import { firstOwner, joined } from "../control-plane/console/people.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { ExampleWorld, ownIdsIn } from "../control-plane/example-world.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { attack } from "./attack.ts";
import { crawled } from "./crawl.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

const rest: readonly Operation[] = operations.filter(({ access }) => access !== "public");
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Two accounts that hold the same things: one operation's example for each. */
describe.each(engines.list)("tenants on $name", ({ databaseUrl }) => {
  let plane: ControlPlaneUnderTest;
  let victim: ExampleWorld;
  let mallory: ExampleWorld;
  beforeEach(async () => {
    const url = await databaseUrl();
    plane = await controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
    victim = await ExampleWorld.build(plane);
    const { storage, nowMs } = plane.context;
    const account = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Mallory", runtimeId: "2026.04", nowMs: nowMs() });
    mallory = await ExampleWorld.build(plane, { account, key: await plane.keyFor("OWNER", account.id) });
  }, 120_000);
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });

  const idsOf = (world: ExampleWorld): ReadonlySet<string> =>
    new Set(rest.filter(({ id }) => id !== "deleteAccount").flatMap((one) => JSON.stringify(world.request(one)).match(uuid) ?? []));
  /** Ids of the victim's objects in a text, but for those that the request itself named. */
  const leaks = (text: string, asked: string): readonly string[] => {
    const [own, known] = [idsOf(victim), idsOf(mallory)];
    return (text.match(uuid) ?? []).filter((id) => own.has(id) && !known.has(id) && !asked.includes(id));
  };
  /** What the victim did and had done to what is his, as his audit log tells it. */
  const changes = async (): Promise<readonly string[]> => {
    const { entries } = (await victim.send("GET", "/v1/audit-log?limit=100&refused=false")).body;
    const operation = ({ operation }: { operation: string }) => operation;
    return entries.map(operation).filter((one: string) => !/^useKey|^sign|^join|^invite|^createFirst/.test(one));
  };

  attack(
    "D5",
    "an id of another tenant as one of two ids in an address, in a query, and by a key that only reads",
    async (held) => {
      const [before, reader] = [await changes(), await plane.keyFor("READ_ONLY", (await plane.context.storage.accounts.list()).at(-1)?.id)];
      const told: string[] = [];
      let tried = 0;
      const ask = async (operation: Operation, key: string, path: string, body: unknown): Promise<void> => {
        tried += 1;
        const { status, text, body: answer } = await plane.call(operation.method, path, { key, ...(body !== undefined && { body }) });
        for (const id of leaks(text, path + JSON.stringify(body ?? ""))) told.push(`${operation.id} ${path} tells ${id}`);
        if (status >= 500) told.push(`${operation.id} ${path} answers ${status}`);
        const isOwn = path === mallory.request(operation).path;
        const namesForeign = ownIdsIn(operation.example?.params).length > 0 && !isOwn;
        const isNothing = operation.id in nothingOf && isDeepStrictEqual(answer, nothingOf[operation.id]);
        if (namesForeign && status < 300 && !isNothing) told.push(`${operation.id} ${path} answers ${status}`);
      };
      for (const operation of rest) {
        const [theirs, own] = [victim.request(operation), mallory.request(operation)];
        for (const path of mixed(theirs.path, own.path)) await ask(operation, mallory.key, path, own.body);
        if (operation.method !== "GET") continue;
        await ask(operation, reader, theirs.path, undefined);
        const [base] = own.path.split("?");
        const [, query] = theirs.path.split("?");
        if (query !== undefined && JSON.stringify(operation.example?.query ?? {}).length > 2) {
          const answer = await plane.call("GET", `${base}?${query}`, { key: mallory.key });
          tried += 1;
          for (const id of leaks(answer.text, query)) told.push(`${operation.id} by its query tells ${id}`);
        }
      }
      expect(told).toEqual([]);
      expect(await changes()).toEqual(before);
      held(
        "every look-up has the account in it, and the parent of what is below another",
        `${tried} requests of ${rest.length} operations`,
      );
    },
    120_000,
  );

  /** What the victim's owner sees in the console, and somebody who is an OWNER elsewhere. */
  const inTheConsole = async () => {
    const seen = await crawled(await firstOwner(plane), ["/", "/checks", "/members", "/profile"]);
    const person = await joined(plane, await keyHolder(plane, mallory.key), "mallory@example.com", "OWNER");
    await person.get("/members");
    return { ...seen, person };
  };
  const isOfVictim = (path: string): boolean => /\/\d+(\/|$)/.test(path) || (path.match(uuid) ?? []).some((id) => idsOf(victim).has(id));

  attack(
    "D5",
    "every page of another tenant's console, and his runs, by a person of one's own",
    async (held) => {
      const { pages, person } = await inTheConsole();
      const told: string[] = [];
      const asked = pages.filter((path) => !isPublic(path));
      for (const path of asked) {
        const { status, text } = await person.get(path);
        for (const id of leaks(text, path)) told.push(`${path} tells ${id}`);
        if (status < 300 && isOfVictim(path.split("?")[0] ?? "")) told.push(`${path} answers ${status}`);
      }
      expect(told).toEqual([]);
      expect(asked.length).toBeGreaterThan(100);
      held("pages ask the operations of REST for the visitor's account", `${asked.length} pages`);
    },
    120_000,
  );

  attack(
    "D5",
    "every form of another tenant's console, as it would be sent there",
    async (held) => {
      const { forms, person } = await inTheConsole();
      const before = await changes();
      const told: string[] = [];
      const asked = forms.filter(({ path }) => isOfVictim(path));
      for (const { path, fields } of asked) {
        const { csrf: _theirs, ...rest } = fields;
        const { status, text, location } = await person.post(path, rest);
        for (const id of leaks(text, path + JSON.stringify(rest))) told.push(`${path} tells ${id}`);
        if (status < 400 || status >= 500) told.push(`${path} answers ${status} ${location}`);
      }
      expect(told).toEqual([]);
      expect(await changes()).toEqual(before);
      expect(asked.length).toBeGreaterThan(20);
      held("forms ask the operations of REST for the visitor's account", `${asked.length} forms`);
    },
    120_000,
  );

  attack(
    "D5",
    "another tenant's checks and runs, heard on a page that is open",
    async (held) => {
      const person = await joined(plane, await keyHolder(plane, mallory.key), "mallory@example.com", "OWNER");
      const [check = ""] = victim.request(getCheckV1).path.match(uuid) ?? [];
      const [own = ""] = mallory.request(getCheckV1).path.match(uuid) ?? [];
      const [run = ""] = victim.request(getCheckSessionV1).path.match(uuid) ?? [];
      const statuses = [];
      for (const path of [check, `${check}?range=day`, `${check}?run=${run}`, `${own}?run=${run}`, own]) {
        await using stream = await eventStream(plane.base, person, `/live/checks/${path}`);
        statuses.push(stream.status);
      }
      expect(statuses).toEqual([404, 404, 404, 404, 200]);
      held("each view asks the operations of REST first", "4 streams refused");
    },
    120_000,
  );
});

/** Of an address with several ids: each of them the other's, one at a time. */
function mixed(theirs: string, own: string): readonly string[] {
  const [a, b] = [theirs, own].map((path) => (path.split("?")[0] ?? "").split("/")) as [string[], string[]];
  const places = a.flatMap((part, place) => (part === b[place] ? [] : [place]));
  return places.length < 2 ? [] : places.map((place) => b.with(place, a[place] ?? "").join("/"));
}

function isPublic(path: string): boolean {
  return ["/dashboards/", "/status/", "/v1/badges/", "/docs/guide"].some((start) => path.startsWith(start));
}
