import { describe, expect, it } from "vitest";
import { introduce, newIdentity, runtimesFor } from "../../../src/agent/contact/introduction.ts";
import { systemClock } from "../../../src/agent/host/clock.ts";
import { browserSeats, multiStepSeats } from "../../../src/agent/host/script-seats.ts";
import { createTrust } from "../../../src/agent/net/tls.ts";
import { createRunners } from "../../../src/agent/runners/index.ts";
import { createSeatQueues } from "../../../src/agent/runs/seat-queues.ts";
import { createStartPacer } from "../../../src/agent/runs/start-pacer.ts";
import { createScriptRunners } from "../../../src/agent/script-checks/script-runners.ts";
import { smallEngine } from "./small-engine.ts";

const never = new AbortController().signal;

describe("seats by kind", () => {
  it("let probes run while every browser is busy, and count them all", async () => {
    const queues = createSeatQueues({ probe: 1, multiStep: 0, browser: 1, suite: 0, agentic: 0 }, createStartPacer(systemClock));
    const busy = Promise.withResolvers<void>();
    const first = queues.of("BROWSER").run(() => busy.promise, "new", never, 0x7fff_ffff);
    const second = queues.of("BROWSER").run(async () => "waited", "new", never, 0x7fff_ffff);
    expect(await queues.of("ICMP").run(async () => "at once", "new", never)).toBe("at once");
    await expect.poll(() => [queues.running(), queues.waiting(), queues.besideSeats()]).toEqual([1, 1, 0]);
    expect([queues.of("BROWSER").freeSeats(), queues.of("ICMP").freeSeats()]).toEqual([0, 1]);
    busy.resolve();
    await first;
    expect(await second).toBe("waited");
    expect([...queues.kinds.keys()]).toEqual(["probe", "browser"]);
    expect(queues.of("MULTI_STEP")).toBe(queues.of("ICMP")); // of an older control plane: the run says what is missing
  });

  it("are at least one, and no more than the machine bears", () => {
    expect(browserSeats()).toBeGreaterThanOrEqual(1);
    expect(multiStepSeats()).toBeGreaterThanOrEqual(browserSeats());
  });
});

describe("an introduction", () => {
  const trust = createTrust([]);
  const runners = createRunners(() => trust, createScriptRunners(null));

  it("names types that are a script only where something runs them, with what keeps them apart", () => {
    const without = introduce(newIdentity(), { runners, playwright: null }, "full");
    expect(without.checkTypes).not.toEqual(expect.arrayContaining(["BROWSER"]));
    expect(without.capabilities).not.toHaveProperty("browser");
    const engine = smallEngine(() => ({}));
    const { checkTypes, capabilities } = introduce(newIdentity(), { runners, playwright: engine }, "full");
    expect(checkTypes).toEqual(expect.arrayContaining(["API", "BROWSER", "MULTI_STEP"]));
    expect(capabilities).toMatchObject({ browser: "chromium/156.0.8078.79", browserSandbox: "2", browserEgress: "kernel" });
    expect([runtimesFor("BROWSER", { playwright: engine }), runtimesFor("MULTI_STEP", { playwright: engine })]).toEqual([
      ["2026.04", "2023.02"],
      ["2026.04"],
    ]);
  });
});
