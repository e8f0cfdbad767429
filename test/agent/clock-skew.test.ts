import { describe, expect, it } from "vitest";
import { watchClock } from "../../src/agent/contact/clock-skew.ts";

const serverMs = Date.UTC(2026, 10, 20);
const never = new AbortController().signal;

/** What is logged and said while replies arrive on a clock that is so many seconds ahead. */
async function watched(...aheadSeconds: readonly number[]): Promise<{ logged: string[]; text: string | null }> {
  const logged: string[] = [];
  const log = { warn: () => logged.push("off"), info: () => logged.push("agrees") };
  let wallMs = serverMs;
  const reply = { status: 200, headers: { date: new Date(serverMs).toUTCString() }, text: "" };
  const { client, skew } = watchClock({ send: async () => reply, close: async () => undefined }, { wallMs: () => wallMs }, log);
  for (const seconds of aheadSeconds) {
    wallMs = serverMs + seconds * 1000;
    await client.send({ method: "GET", path: "/", headers: {}, body: null, limitMs: 1 }, never);
  }
  return { logged, text: skew.text() };
}

describe("the watch over this machine's clock", () => {
  it.each([
    ["one late look is no wrong clock", [0, 60, 0], [], null],
    ["two are, and it is told once", [60, 60, 61], ["off"], "61 s ahead of the control plane's"],
    ["a clock behind is wrong too", [-60, -60], ["off"], "60 s behind the control plane's"],
    ["what goes to and fro about the limit is told once", [5.5, 5.5, 4.5, 5.5, 4.5, 5.5, 5.5, 4.5], ["off"], null],
    ["a clock that was put right is told", [60, 60, 1, 1], ["off", "agrees"], null],
  ])("%s", async (_title, seconds, logged, text) => {
    expect(await watched(...seconds)).toEqual({ logged, text });
  });
});
