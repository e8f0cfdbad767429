import { describe, expect, it } from "vitest";
import { createLastAnswers, keptForMs } from "../../../src/control-plane/probes/last-answers.ts";
import type { ProbeQuestion } from "../../../src/control-plane/probes/probe-messages.ts";

const health: ProbeQuestion = { path: "/health", authorization: "", remoteAddress: "" };
const said = (body: string, status = 200) => ({ status, headers: {}, body });

/** A main loop that answers when it is told to, and a clock that goes on by the waits alone. */
function withMainLoop() {
  const asked: { readonly id: number; readonly question: ProbeQuestion }[] = [];
  const clock = { nowMs: 1_000 };
  const answers = createLastAnswers(
    (id, question) => asked.push({ id, question }),
    () => clock.nowMs,
    async (ms) => {
      clock.nowMs += ms;
    },
  );
  return { answers, asked, clock };
}

describe("last answers", () => {
  it("are new while the main loop answers", async () => {
    const { answers, asked } = withMainLoop();
    const waiting = answers.get(health);
    answers.answered(asked[0]!.id, said("ok"));
    expect(await waiting).toEqual({ answer: said("ok"), ageMs: 0 });
  });

  it("are the last ones, with their age, while it does not", async () => {
    const { answers, asked, clock } = withMainLoop();
    const waiting = answers.get(health);
    answers.answered(asked[0]!.id, said("ok"));
    await waiting;
    clock.nowMs += 5_000;
    expect(await answers.get(health)).toEqual({ answer: said("ok"), ageMs: 5_030 });
  });

  it("end when it answers nothing for a minute, and begin again with its next answer", async () => {
    const { answers, asked, clock } = withMainLoop();
    const first = answers.get(health);
    answers.answered(asked[0]!.id, said("ok"));
    await first;
    clock.nowMs += keptForMs;
    expect(await answers.get(health)).toBeUndefined();
    answers.answered(asked[1]!.id, said("draining", 503));
    expect((await answers.get(health))?.answer).toEqual(said("draining", 503));
  });

  it("are asked for once, however many wait for one", async () => {
    const { answers, asked } = withMainLoop();
    const many = Promise.all([answers.get(health), answers.get(health), answers.get({ ...health, remoteAddress: "192.0.2.1" })]);
    answers.answered(asked[0]!.id, said("ok"));
    expect(await many).toHaveLength(3);
    expect(asked).toHaveLength(1);
  });

  it("of one token are not given to whoever brings another", async () => {
    const { answers, asked } = withMainLoop();
    const mine = answers.get({ ...health, path: "/metrics", authorization: "Bearer right" });
    answers.answered(asked[0]!.id, said("names"));
    expect((await mine)?.answer.body).toBe("names");
    expect(await answers.get({ ...health, path: "/metrics", authorization: "Bearer wrong" })).toBeUndefined();
  });

  it("of ever new tokens fill neither the main loop's queue nor the memory", async () => {
    const { answers, asked } = withMainLoop();
    for (let n = 0; n < 1_000; n += 1) expect(await answers.get({ ...health, authorization: `Bearer ${n}` })).toBeUndefined();
    expect(asked).toHaveLength(64);
  });

  it("of probes stay, whatever flood of tokens comes", async () => {
    const { answers, asked } = withMainLoop();
    const first = answers.get(health);
    answers.answered(asked[0]!.id, said("ok"));
    await first;
    for (let n = 0; n < 200; n += 1) {
      const wrong = answers.get({ ...health, path: "/metrics", authorization: `Bearer ${n}` });
      answers.answered(asked.at(-1)!.id, said("no", 401));
      expect((await wrong)?.answer.status).toBe(401);
    }
    for (let n = 0; n < 100; n += 1) await answers.get({ ...health, path: "/metrics", authorization: `Bearer never ${n}` });
    expect((await answers.get(health))?.answer).toEqual(said("ok"));
    expect(asked.at(-1)?.question.path).toBe("/health");
  });
});
