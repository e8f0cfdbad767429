import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { AppError } from "#domain/app-error.ts";
import { probePages } from "../../../src/control-plane/probes/probe-pages.ts";
import { createWorks } from "../../../src/control-plane/probes/works.ts";

const at = (seconds: number): string => new Date(seconds * 1_000).toISOString();
const full = new AppError("unavailable", "the database has no space left on its disk");

/** Works, and what probes say of them; both clocks go on by `pass`, one of them only by that. */
function watched() {
  const lines: { readonly msg: string; readonly work: string }[] = [];
  const clock = { wall: 0, monotonic: 0 };
  const works = createWorks({
    nowMs: () => clock.wall * 1_000,
    monotonicMs: () => clock.monotonic * 1_000,
    log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as never) }),
  });
  let reads = async (): Promise<never[]> => [];
  const probes = probePages({ accounts: { list: () => reads() }, works, clockSteps: { last: () => null } });
  const ask = async (path: string) => {
    const page = probes.pages.find((one) => one.path === path);
    const { status = 200, body } = await page!.answer({} as never);
    return { ...(JSON.parse(body.toString()) as { status: string; works: Record<string, object> }), code: status };
  };
  return {
    works,
    probes,
    clock,
    lines,
    ask,
    pass: (seconds: number): void => {
      clock.wall += seconds;
      clock.monotonic += seconds;
    },
    readsFail: (): void => {
      reads = () => Promise.reject(full);
    },
  };
}

describe("probes of the control plane", () => {
  it("are not ready before the first start is done, nor while it drains", async () => {
    const { probes, ask } = watched();
    expect(await ask("/-/readiness")).toMatchObject({ code: 503, status: "starting" });
    expect(await ask("/health")).toMatchObject({ code: 503, status: "starting" });
    probes.ready();
    expect((await ask("/-/readiness")).code).toBe(200);
    expect((await ask("/health")).code).toBe(200);
    probes.drain();
    expect(await ask("/-/readiness")).toMatchObject({ code: 503, status: "draining" });
  });

  it("say that writing fails, why and since when, and that it works again", async () => {
    const { works, probes, ask, pass, lines } = watched();
    probes.ready();
    const writing = works.reportOf("writing");
    writing.worked();
    pass(10);
    writing.failed(full);
    pass(5);
    writing.failed(full);
    const failing = { status: "failing", since: at(10), reason: "the database has no space left on its disk" };
    expect((await ask("/-/readiness")).code).toBe(503);
    expect((await ask("/health")).works).toMatchObject({ reading: { status: "ok", since: at(0) }, writing: failing });
    pass(5);
    writing.worked();
    expect((await ask("/-/readiness")).code).toBe(200);
    expect((await ask("/health")).works["writing"]).toEqual({ status: "ok", since: at(20) });
    expect(lines).toMatchObject([
      { msg: "it does not work any more", work: "writing" },
      { msg: "it works again", work: "writing", since: at(10) },
    ]);
  });

  it("stay ready while only scheduling or delivering fails: REST works, and says so", async () => {
    const { works, probes, ask } = watched();
    probes.ready();
    works.reportOf("scheduling").failed(new Error("of a bug, with what nobody else may know"));
    expect((await ask("/-/readiness")).code).toBe(200);
    const health = await ask("/health");
    expect(health.status).toBe("degraded");
    expect(health.works["scheduling"]).toMatchObject({ status: "failing", reason: "an error that the log has" });
  });

  it("are not ready while the store cannot be read", async () => {
    const { probes, ask, readsFail } = watched();
    probes.ready();
    readsFail();
    expect((await ask("/-/readiness")).code).toBe(503);
  });

  it("say that a loop is silent, by a clock that nobody sets", async () => {
    const { works, probes, clock, ask, pass } = watched();
    probes.ready();
    for (const work of ["writing", "scheduling", "delivering"] as const) works.reportOf(work).worked();
    clock.wall += 90_000;
    expect((await ask("/health")).works["scheduling"]).toMatchObject({ status: "ok" });
    pass(61);
    works.reportOf("writing").worked();
    const { works: states } = await ask("/health");
    expect(states).toMatchObject({
      reading: { status: "ok" },
      scheduling: { status: "failing", reason: "nothing was done for 60 s" },
      delivering: { status: "failing" },
      writing: { status: "ok" },
    });
    works.reportOf("scheduling").worked();
    expect((await ask("/health")).works["scheduling"]).toMatchObject({ status: "ok" });
  });

  it("keep what was given up, whatever works later", async () => {
    const { works, probes, ask } = watched();
    probes.ready();
    works.giveUp("reading", "outpost.db is damaged");
    expect((await ask("/-/readiness")).code).toBe(503);
    expect((await ask("/health")).works["reading"]).toMatchObject({ status: "failing", reason: "outpost.db is damaged" });
  });
});
