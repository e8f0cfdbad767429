import { STATUS_CODES } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Operation } from "#contract/operation.ts";
import { agentOperations, operations } from "#contract/operations.ts";
import { enginesUnderTest } from "../support/engines.ts";
import {
  asJson,
  type BadRequest,
  badBodies,
  badCallers,
  badPaths,
  badProperties,
  badQueries,
  nothingOf,
  withUnknownFields,
} from "./bad-requests.ts";
import type { Answer } from "./call.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "./control-plane-under-test.ts";
import { ExampleWorld, ownIdsIn } from "./example-world.ts";
import { FakeAgent } from "./fake-agent.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});
const rest: readonly Operation[] = operations;
const agents: readonly Operation[] = agentOperations;
const lists = rest.filter(({ method, path, access }) => method === "GET" && access !== "public" && !/\{|analytics|reporting/.test(path));
/** What is sent is sent again while it does not arrive. */
const kept = lists.filter(({ path }) => path !== "/v1/alert-notifications");
/** Uses of keys, and agents: those that were not heard of for a minute are gone. */
const changesByItself = /"(?:lastUsedAt|minAgentVersion)":(?:"[^"]*"|null)|"agentCount":\d+/g;
/** They do with the ids of a list what there is of them, which of foreign ids is nothing. */
const takesWhatThereIs = ["summarizeChecks", "cancelCheckSession"];
/** The project in their body is one of the caller's account, which the first deployment makes. What it refers to: projects/references.test.ts. */
const makesWhatItNames = ["deployProject", "deployProjectNow", "deployProjectNowV1"];
const withObjects = rest.filter(
  ({ id, access, example = {} }) =>
    access !== "public" && ![...takesWhatThereIs, ...makesWhatItNames].includes(id) && ownIdsIn([example.params, example.body]).length > 0,
);

/** Whoever names an object of another account. The public command line reads 403 as "no check matches". */
function refusedBy({ id }: Operation): readonly number[] {
  if (id === "applyChanges") return [409]; // what is missing is named by a call, not by the address
  return id === "triggerStoredChecks" ? [403] : [400, 404];
}

describe.each(engines.list)("bad input on $name (E-02)", (engine) => {
  let plane: ControlPlaneUnderTest;
  let world: ExampleWorld;
  let foreign: ExampleWorld;
  let before: readonly string[] = [];
  const keys = { READ_ONLY: "", READ_RUN: "", READ_WRITE: "" };
  const credentials = { "agent-key": "", "agent-session": "" };

  beforeAll(async () => {
    const url = await engine.databaseUrl();
    plane = await controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
    world = await ExampleWorld.build(plane);
    const { storage, nowMs } = plane.context;
    const account = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: nowMs() });
    foreign = await ExampleWorld.build(plane, { account, key: await plane.keyFor("OWNER", account.id) });
    for (const role of ["READ_ONLY", "READ_RUN", "READ_WRITE"] as const) keys[role] = await plane.keyFor(role);
    credentials["agent-key"] = await plane.locationKey("ap-south-1");
    credentials["agent-session"] = (await FakeAgent.open(plane.base, credentials["agent-key"])).session.sessionToken;
    before = await everything();
  }, 120_000);
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  /** What both accounts hold, as their lists tell it; the audit log is one of them, so every change that succeeded is seen. Refusals are none. */
  async function everything(): Promise<readonly string[]> {
    const texts = [world, foreign].flatMap((one) =>
      kept.map(
        async ({ path }) =>
          `${path} ${(await one.send("GET", `${path}?limit=100${path === "/v1/audit-log" ? "&refused=false" : ""}`)).text}`,
      ),
    );
    return (await Promise.all(texts)).map((text) => withoutKeyUses(text).replaceAll(changesByItself, ""));
  }

  /** What is wrong with the answers, some requests at a time: there are thousands. */
  async function problemsOf({ method }: Operation, requests: readonly BadRequest[]): Promise<readonly string[]> {
    const problems: string[] = [];
    const waiting = [...requests];
    const worker = async (): Promise<void> => {
      for (let bad = waiting.pop(); bad !== undefined; bad = waiting.pop()) {
        const { path, body, key, headers = {} } = { key: world.key, ...bad };
        const answer = await plane.call(method, path, { key, headers, ...(body !== undefined && { body }) });
        const problem = problemOf(answer, bad);
        if (problem !== undefined && !tellsNothing(answer, bad)) problems.push(`${bad.what}: ${problem}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    return problems;
  }

  it.each(rest)("is refused by $id", { timeout: 120_000 }, async (operation) => {
    const request = world.request(operation);
    const requests = [
      ...badCallers(operation, request, keys),
      ...badPaths(operation, request),
      ...badQueries(operation, request),
      ...badBodies(operation, request),
      // What a schema refuses never reaches a store, so one engine will do for the many.
      ...(engine.name === "SQLite" ? badProperties(operation, request) : []),
    ];
    expect(await problemsOf(operation, requests)).toEqual([]);
  });

  it.each(agents)("is refused by $id", async (operation) => {
    const key = operation.access === "agent-key" ? credentials["agent-key"] : credentials["agent-session"];
    const request = {
      method: operation.method,
      path: operation.path.replace("{jobId}", crypto.randomUUID()).replace("{attempt}", "1"),
      body: {},
    };
    const sent = operation.method === "GET" ? {} : { body: "{}" };
    const requests = [
      { what: "no key", path: request.path, key: undefined, ...sent, status: [401] },
      { what: "a user's key", path: request.path, key: world.key, ...sent, status: [401] },
      // Batches are large and our own: see `parseJsonBody` and `refuseUnstorableText`.
      ...badBodies(operation, request).filter(({ what }) => !/twice|U\+0000|surrogate|1 MB/.test(what)),
      // Many fields are missing beside the bad one, and an answer names five.
      ...badProperties(operation, request).flatMap(({ field: _any, ...bad }) => (/^[^:]*\./.test(bad.what) ? [] : [bad])),
    ];
    expect(
      await problemsOf(
        operation,
        requests.map((bad) => ({ key, ...bad })),
      ),
    ).toEqual([]);
  });

  it.each(withObjects)("is another account's object for $id", async (operation) => {
    const { path, body } = world.request(operation);
    const requests: BadRequest[] = [
      { what: "a foreign id", path, key: foreign.key, ...asJson(body), status: refusedBy(operation), nothing: nothingOf[operation.id] },
    ];
    if (ownIdsIn(operation.example?.body).length > 0) {
      requests.push({
        what: "a foreign reference in the body",
        path: foreign.request(operation).path,
        key: foreign.key,
        ...asJson(body),
        status: refusedBy(operation),
      });
    }
    expect(await problemsOf(operation, requests)).toEqual([]);
  });

  it("changes nothing", async () => {
    const after = await everything();
    for (const [index, text] of before.entries()) expect(after[index]).toBe(text);
  });

  it.each(rest.filter(({ method, body }) => method !== "GET" && body !== undefined))(
    "is not an unknown field of $id",
    async (operation) => {
      const { method, path, body } = world.request(operation);
      const { status, text } = await world.send(method, path, withUnknownFields(body));
      const isTaken = status === 409; // by what the world made with the same example
      expect([status, isTaken ? "" : text]).toEqual([isTaken ? 409 : operation.successStatus, isTaken ? "" : text]);
    },
  );
});

/** From where a key is used is told within a minute, whatever is asked. */
function withoutKeyUses(listed: string): string {
  const [path = ""] = listed.split(" ", 1);
  if (path !== "/v1/audit-log") return listed;
  const { entries } = JSON.parse(listed.slice(path.length)) as { readonly entries: readonly { readonly operation: string }[] };
  return JSON.stringify(entries.filter(({ operation }) => operation !== "useKeyFromNewAddress"));
}

/** Nothing is there, and the operation's own words for that are right. */
function tellsNothing({ status, body }: Answer, { nothing }: BadRequest): boolean {
  return status === 200 && nothing !== undefined && isDeepStrictEqual(body, nothing);
}

/** What is wrong with an answer to a bad request; undefined when it is as it has to be. */
function problemOf({ status, body, text }: Answer, bad: BadRequest): string | undefined {
  const told = `${status} ${text.slice(0, 120)}`;
  if (status < 400 || status >= 500 || bad.status?.includes(status) === false) return told;
  const { statusCode, error, message, attributes } = body;
  if (statusCode !== status || error !== STATUS_CODES[status] || !/\w/.test(message)) return `not an error's body: ${told}`;
  const isNamed = `${message} ${JSON.stringify(attributes?.issues ?? "")}`.includes(bad.field ?? "");
  return isNamed ? undefined : `does not name ${bad.field}: ${told}`;
}
