import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Assertion } from "#contract/checks/assertion.ts";
import { evaluateAssertions } from "#domain/assertions/evaluate.ts";
import type { AssertionFacts } from "#domain/assertions/facts.ts";
import { AssertionThread, type AssertionThreadLimits, evaluatedHere } from "../../src/agent/judgement/assertion-thread.ts";

const assertion = (given: Partial<Assertion>): Assertion => {
  return { source: "JSON_BODY", comparison: "NOT_EQUALS", property: "", target: "-1", regex: "", ...given };
};
const status = assertion({ source: "STATUS_CODE", comparison: "EQUALS", target: "200" });
const factsWith = (text: string): AssertionFacts => ({ statusCode: 200, responseTimeMs: 12, headers: { server: "x" }, text: () => text });
const itemsOf = (count: number): string => `{"items":[${Array.from({ length: count }, (_, n) => `{"n":${n},"x":"aaaa"}`).join(",")}]}`;
const never = new AbortController().signal;

function threadWith(limits: Partial<AssertionThreadLimits> = {}): AssertionThread {
  const thread = new AssertionThread({ taskMs: 10_000, heapMb: 512, idleMs: 60_000, ...limits });
  onTestFinished(() => thread.close());
  return thread;
}

/** The longest time that the event loop did not turn while `work` went on, ms. */
async function loopDelayOf(work: () => Promise<unknown>): Promise<number> {
  let worstMs = 0;
  let lastMs = performance.now();
  const beat = (): void => {
    worstMs = Math.max(worstMs, performance.now() - lastMs);
    lastMs = performance.now();
  };
  const heartbeat = setInterval(beat, 5);
  await work();
  clearInterval(heartbeat);
  beat();
  return worstMs;
}

async function expectAnswer(thread: AssertionThread): Promise<void> {
  const asked = [assertion({ property: "$.a" })];
  expect(await thread.evaluate(asked, factsWith('{"a":1}'), never)).toEqual(evaluateAssertions(asked, factsWith('{"a":1}')));
}

/** Threads of this process by that name; null where the system does not tell. */
function threadsNamed(name: string): readonly string[] | null {
  if (process.platform !== "linux") return null;
  return readdirSync("/proc/self/task").filter((id) => {
    try {
      return readFileSync(`/proc/self/task/${id}/comm`, "utf8").trim() === name;
    } catch {
      return false; // it has just ended
    }
  });
}

describe("evaluatedHere", () => {
  it.each([
    ["a short body", assertion({ property: "$.items[0].n" }), itemsOf(10), false],
    ["a long body that is parsed", assertion({ property: "$.items[0].n" }), itemsOf(20_000), true],
    ["a long body that is searched", assertion({ source: "TEXT_BODY", property: "n+$", comparison: "IS_EMPTY" }), itemsOf(20_000), true],
    [
      "a long body that is compared as it is",
      assertion({ source: "TEXT_BODY", comparison: "CONTAINS", target: "items" }),
      itemsOf(20_000),
      false,
    ],
    ["a long body that nothing reads", status, itemsOf(20_000), false],
    ["a query that grows with the square of a short body", assertion({ property: "$..[?count($..*) > 1]" }), itemsOf(500), true],
  ])("leaves to the thread what takes long: %s", (_title, asked, text, isLeft) => {
    expect(evaluatedHere([status, asked], factsWith(text)) === null).toBe(isLeft);
  });
});

describe("the assertion thread", () => {
  it("tells what the main thread would tell", async () => {
    const asked = [
      status,
      assertion({ property: "$..n", comparison: "LESS_THAN", target: "19000" }),
      assertion({ property: "$..[" }),
      assertion({ source: "TEXT_BODY", property: '"n":(1999\\d)', comparison: "EQUALS", target: "19990" }),
      assertion({ source: "CONNECTION", property: "tlsVersion", comparison: "EQUALS", target: "1.3" }),
      assertion({ source: "HEADERS", property: "server", comparison: "EQUALS", target: "y" }),
    ];
    const facts = { ...factsWith(itemsOf(20_000)), fields: { CONNECTION: { tlsVersion: "1.3" } } };
    expect(await threadWith().evaluate(asked, facts, never)).toEqual(evaluateAssertions(asked, facts));
    const structured = { ...facts, json: () => ({ items: [{ n: 19_001 }] }) };
    expect(await threadWith().evaluate(asked, structured, never)).toEqual(evaluateAssertions(asked, structured));
  });

  it("leaves the event loop alone (H-10, H-11)", async () => {
    const cases = [
      [factsWith(itemsOf(150_000)), assertion({ property: "$..n" })],
      [factsWith("a".repeat(2 ** 20)), assertion({ source: "TEXT_BODY", property: "(a+)+$" })],
    ] as const;
    const thread = threadWith();
    for (const [facts, asked] of cases) {
      const there = await loopDelayOf(() => thread.evaluate([asked], facts, never));
      const here = await loopDelayOf(() => Promise.resolve(evaluateAssertions([asked], facts)));
      expect(there).toBeLessThan(here / 2);
    }
  });

  it("gives a task up that takes too long, fails what searched the text, and goes on with the next", async () => {
    const thread = threadWith({ taskMs: 30 });
    const facts = factsWith(itemsOf(20_000));
    const evaluated = await thread.evaluate([status, assertion({ property: "$.items[?count($.items[*]) > 1]" })], facts, never);
    expect(evaluated).toMatchObject([
      { target: 200 },
      { error: "the assertion needs too much work on a response of this size", actual: null },
    ]);
    expect(evaluated[0]).not.toHaveProperty("error");
    await expectAnswer(thread);
  });

  it("survives a task that fills its memory", async () => {
    const thread = threadWith({ heapMb: 16 });
    const asked = assertion({ property: "$..[?count($..*) > 0]" });
    const facts = factsWith(`[${"1,".repeat(600_000)}1]`);
    expect(await thread.evaluate([asked], facts, never)).toMatchObject([
      { error: "the assertion needs too much work on a response of this size" },
    ]);
    await expectAnswer(thread);
  });

  it("ends the waiting of an aborted run at once, in its turn and before it", async () => {
    const thread = threadWith();
    const facts = factsWith(itemsOf(200_000));
    const [running, waiting] = [new AbortController(), new AbortController()];
    const done: string[] = [];
    const tasks = [
      thread.evaluate([assertion({ property: "$..n" })], facts, running.signal).catch((error: unknown) => done.push(String(error))),
      thread.evaluate([assertion({ property: "$..n" })], facts, waiting.signal).catch((error: unknown) => done.push(String(error))),
      thread.evaluate([status], facts, never).then(() => done.push("answered")),
    ];
    waiting.abort("second");
    await tasks[1];
    running.abort("first");
    await Promise.all(tasks);
    expect(done).toEqual(["second", "first", "answered"]);
  });

  it("answers in the order of asking", async () => {
    const thread = threadWith();
    const done: number[] = [];
    const ask = (items: number) =>
      thread.evaluate([assertion({ property: "$..n" })], factsWith(itemsOf(items)), never).then(() => done.push(items));
    await Promise.all([20_000, 5_000, 10, 1_000].map(ask));
    expect(done).toEqual([20_000, 5_000, 10, 1_000]);
  });

  it("ends when it was idle for a while, and after a body that left much in its memory", async (context) => {
    const others = threadsNamed("assertions"); // runs of other tests have one, too
    if (others === null) return context.skip("this system does not tell the threads of a process");
    const own = (): number => threadsNamed("assertions")?.filter((id) => !others.includes(id)).length ?? 0;
    const ask = (limits: Partial<AssertionThreadLimits>, items: number) =>
      threadWith(limits).evaluate([assertion({ property: "$.items[0].n" })], factsWith(itemsOf(items)), never);
    await ask({ idleMs: 50 }, 10);
    expect(own()).toBe(1);
    await expect.poll(own).toBe(0);
    const large = ask({}, 200_000);
    await expect.poll(own, { interval: 1 }).toBe(1);
    await large;
    await expect.poll(own).toBe(0);
  });
});
