import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LedgerTarget, ledgerTarget } from "../support/ledger-target.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { makeScriptRuntime } from "../support/script-runtime.ts";
import { Site } from "../support/site.ts";

const script = { localSetupScript: 'console.log("ran on", process.env.RUNTIME_VERSION)' };

describe("a check with scripts, and the runtimes of agents", () => {
  let site: Site;
  let target: LedgerTarget;
  let key: string;
  const made = new AsyncDisposableStack();

  beforeAll(async () => {
    target = made.use(await ledgerTarget());
    site = made.use(await Site.start({ env: { QUEUE_WAIT_SECONDS: "10" } }));
    key = await site.location("north");
  });
  afterAll(() => made.disposeAsync());

  it("is missed where no agent has its runtime, with a sentence that says what to do; others run", async () => {
    const agent = await site.agent(key).ready();
    expect(await agent.logged("this agent cannot run scripts of checks")).toMatchObject({
      sandboxLevel: 0,
      limitation: "no runtime is installed, so there are no scripts to run: outpost runtime install 2026.04",
    });
    const scripted = await site.check(target.url("scripted"), ["north"], { ...script, runtimeId: "2025.04" });
    const plain = await site.check(target.url("plain"), ["north"], { runtimeId: "2025.04" });
    const sessions = await site.trigger(scripted, plain);
    const results = await expectNothingLost(site, { sessions });
    expect(results.get(plain)).toMatchObject([{ resultType: "FINAL", hasFailures: false }]);
    const errorMessage =
      "NO_AGENT: no agent of this location has runtime 2025.04, which the check's scripts need: outpost runtime install 2025.04";
    expect(results.get(scripted)).toMatchObject([{ resultType: "MISSED", missedReason: "no_agent", hasFailures: false, errorMessage }]);
    expect(target.requests("scripted")).toBe(0);
    await agent.kill();
  }, 90_000);

  it("runs at the agent that has it; one past its end of life is warned of, and of a newer one nothing is said", async () => {
    await using runtime = await makeScriptRuntime("2023.09");
    await using newer = await makeScriptRuntime("2026.04");
    await using without = await site.agent(key).ready();
    await using old = await site.agent(key, { RUNTIMES_DIR: runtime.folder }).ready();
    await using current = await site.agent(key, { RUNTIMES_DIR: newer.folder }).ready();
    expect(await old.logged("a runtime is past its end of life and gets no security fixes")).toMatchObject({ runtime: "2023.09" });
    for (const agent of [without, current]) expect(agent.stderr).not.toContain("end of life");
    for (const runtimeId of ["2023.09", "2026.04"]) {
      const check = await site.check(target.url(runtimeId), ["north"], { ...script, runtimeId });
      const [result] = (await expectNothingLost(site, { sessions: await site.trigger(check) })).get(check) ?? [];
      expect(result).toMatchObject({ resultType: "FINAL", hasFailures: false, errorMessage: null });
      expect(result?.apiCheckResult?.jobLog?.setup).toMatchObject([{ level: "INFO", msg: `ran on ${runtimeId}` }]);
    }
  }, 90_000);
});
