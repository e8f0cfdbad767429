import { expect, it } from "vitest";
import type { WatchdogOutcome } from "../../../src/control-plane/metrics/metrics.ts";
import { createEgress } from "../../../src/control-plane/outgoing/egress.ts";
import { createChannelHttp } from "../../../src/control-plane/outgoing/http-client.ts";
import { createWatchdog } from "../../../src/control-plane/probes/watchdog.ts";
import { Secret } from "../../../src/daemon/secret.ts";
import { logOf } from "../../agent/agent-under-test.ts";
import { receiver } from "../alerting/channels/receiver.ts";
import { controlPlaneUnderTest, eventually } from "../control-plane-under-test.ts";

/** A watchdog that is told every 20 ms. */
async function told(url: string) {
  const counts: WatchdogOutcome[] = [];
  const { log, lines } = logOf();
  let failing = false;
  const http = createChannelHttp({ egress: createEgress({ mode: "default", allowCidrs: [] }), nowMs: Date.now });
  const state = () => ({ status: failing ? "failing" : "ok", since: "", reason: "a full disk" }) as const;
  const works = { states: () => ({ reading: state(), writing: state(), scheduling: state(), delivering: state() }) };
  const rest = { count: (one: WatchdogOutcome) => void counts.push(one), monotonicMs: () => performance.now(), log };
  const watchdog = createWatchdog({ url: new Secret(url), everyMs: 20, works, http, ...rest });
  await watchdog.start();
  const stop = async (): Promise<void> => {
    await watchdog.stop(AbortSignal.timeout(5_000));
    await http.close();
  };
  return { counts, lines, fail: (now: boolean) => void (failing = now), [Symbol.asyncDispose]: stop };
}

it("tells an address that all works, and nothing while something does not; each change is logged once, without the address", async () => {
  await using hook = await receiver();
  await using watchdog = await told(`${hook.url}/token`);
  await eventually(async () => watchdog.counts.filter((one) => one === "told").length >= 3);
  expect(hook.received[0]).toMatchObject({ method: "GET", url: "/token" });
  watchdog.fail(true);
  await eventually(async () => watchdog.counts.filter((one) => one === "withheld").length >= 3);
  const silentSince = hook.received.length;
  await eventually(async () => watchdog.counts.filter((one) => one === "withheld").length >= 6);
  expect(hook.received).toHaveLength(silentSince);
  watchdog.fail(false);
  await eventually(async () => watchdog.lines.length === 3);
  expect(hook.received.length).toBeGreaterThan(silentSince);
  expect(watchdog.lines.map(({ msg }) => msg)).toEqual([
    "the watchdog is told that this control plane is alive",
    "not pinging the watchdog, because a part of this control plane does not work",
    "the watchdog is told that this control plane is alive",
  ]);
  expect(JSON.stringify(watchdog.lines)).not.toContain("token");
});

it("counts and logs what fails, at a bounded rate, and goes on", async () => {
  await using hook = await receiver((response) => response.writeHead(500).end());
  await using watchdog = await told(hook.url);
  await eventually(async () => watchdog.counts.filter((one) => one === "failed").length >= 5);
  expect(watchdog.lines).toMatchObject([{ reason: "it answered 500" }]);
});

it("two installations watch each other: one that goes is told by the other's heartbeat check", { timeout: 120_000 }, async () => {
  await using watching = await controlPlaneUnderTest();
  const body = { name: "the other Outpost", heartbeat: { period: 1, periodUnit: "hours", grace: 0, graceUnit: "hours" } };
  const { body: check } = await watching.call("POST", "/v1/checks/heartbeat", { body });
  const isPinged = async () => (await watching.call("GET", "/v1/check-statuses")).body.length === 1;
  {
    await using _watched = await controlPlaneUnderTest({ WATCHDOG_URL: check.heartbeat.pingUrl, WATCHDOG_SECONDS: "10" });
    await eventually(isPinged);
  }
  watching.advance(3_601_000);
  const alerts = await eventually(async () => {
    const { body: told } = await watching.call("GET", "/v1/check-alerts");
    return told.length > 0 && told;
  });
  expect(alerts).toMatchObject([{ checkId: check.id }]);
});
