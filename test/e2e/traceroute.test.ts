import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CheckResult } from "../../src/contract/check-results.ts";
import { type Diamond, diamond } from "../agent/runners/traceroute/diamond.ts";
import { browser } from "../control-plane/console/browser.ts";
import { httpServer } from "../support/http-servers/http-server.ts";
import { noNamespaces } from "../support/namespace.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { until } from "../support/processes.ts";
import { Site } from "../support/site.ts";

const missing = noNamespaces ?? (existsSync("/usr/bin/setpriv") ? null : "setpriv is not installed");
if (missing !== null) process.stdout.write(`traceroute monitors end to end are skipped: ${missing}\n`);

describe.skipIf(missing !== null)("traceroute monitors, from REST to the page of a run", () => {
  const made = new AsyncDisposableStack();
  const told: string[] = [];
  let network: Diamond;
  let site: Site;

  beforeAll(async () => {
    network = made.use(await diamond());
    await network.agent.sysctl("net.ipv4.ping_group_range", "0 2147483647");
    const receiver = made.use(
      await httpServer((request, response) => {
        request.setEncoding("utf8").on("data", (part: string) => told.push(part));
        request.on("end", () => response.end());
      }),
    );
    const host = network.agent.outside.ipv4;
    site = made.use(await Site.start({ env: { HOST: "0.0.0.0" } }));
    const config = { name: "receiver", url: receiver.url, method: "POST", template: "{{ALERT_TYPE}} {{CHECK_ERROR_MESSAGE}}" };
    await site.api("POST", "/v1/alert-channels", { type: "WEBHOOK", config });
    const [program, words] = network.agent.command("env", []);
    const env = { API_URL: `http://${host}:${site.port}` };
    await site.agent(await site.location("here"), env, [program, ...words]).started();
  }, 120_000);
  afterAll(() => made.disposeAsync());

  const create = async (request: object): Promise<string> => {
    const body = { name: "way", privateLocations: ["here"], frequency: 1440, retryStrategy: null, request };
    return (await site.api<{ id: string }>("POST", "/v1/checks/traceroute", body)).id;
  };

  async function run(id: string): Promise<CheckResult> {
    const [session] = await site.trigger(id);
    if (session === undefined) throw new Error("nothing was triggered");
    await site.ended(session);
    await expectNothingLost(site, { sessions: [session] });
    const [newest] = await site.results(id, "FINAL");
    return site.api("GET", `/v1/check-results/${id}/${newest?.id}`);
  }

  it.each(["TCP", "UDP", "ICMP"] as const)("tell the hops of %s with loss and times, judge them, and count them", async (protocol) => {
    const assertions = [
      { source: "HOP_COUNT", comparison: "EQUALS", target: "4" },
      { source: "PACKET_LOSS", comparison: "EQUALS", target: "0" },
      { source: "RESPONSE_TIME", property: "max", comparison: "LESS_THAN", target: "5000" },
    ];
    const { first, target } = network.path.IPv4;
    const id = await create({ url: target, protocol, ...(protocol === "TCP" && { port: 8080 }), assertions });
    const { errorMessage, hasFailures, tracerouteCheckResult: seen } = await run(id);
    expect([errorMessage, hasFailures, seen?.destinationReached, seen?.pathChange]).toEqual([null, false, true, null]);
    expect(seen?.request.port).toBe({ TCP: 8080, UDP: 33_434, ICMP: null }[protocol]);
    expect([seen?.response?.hops.length, seen?.response?.hops[0]?.address]).toEqual([4, first]);
    const path = `/v1/analytics/traceroute/${id}?metrics=availability,hopCount_max,packetLoss_max`;
    const figures = await site.api<{ series: { data: Record<string, number>[] }[] }>("GET", path);
    expect(figures.series[0]?.data[0]).toMatchObject({ availability: 100, hopCount_max: 4, packetLoss_max: 0 });
    const summary = await site.api<unknown>("POST", "/v1/analytics/checks", { checkIds: [id] });
    expect(JSON.stringify(summary)).toMatch(/hopCount/);
  });

  it("are drawn on the page of a run, hop by hop", async () => {
    const { address } = await site.controlPlane.logged("there is no owner yet: open this address to create the first one");
    const token = new URL(String(address)).searchParams.get("token") ?? "";
    const owner = browser(site.base);
    await owner.get(`/set-up?token=${token}`);
    await owner.post("/set-up", { name: "Ada", email: "ada@example.com", password: "a fine long phrase", token });
    const { first, target } = network.path.IPv4;
    const id = await create({ url: target, port: 8080 });
    const { status, text } = await owner.get(`/checks/${id}/results/${(await run(id)).id}`);
    const words = text.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
    expect([status, words]).toEqual([200, expect.stringContaining("reached after 4 hops: open")]);
    expect(words).toMatch(new RegExp(`Min to max 1 ${first} 0 %, `.replaceAll(".", "\\.")));
    expect(words).toContain(`4 ${target} target 0 %, 5 of 5`);
  });

  it("say where the way is another than before, and fail with the alert where it ends", async () => {
    const { left, right, target } = network.path.IPv4;
    const wayVia = (router: string) => network.first.run("ip", ["route", "replace", target, "via", router]);
    const id = await create({ url: target, port: 8080, timeout: 5, maxUnknownHops: 2 });
    await wayVia(left);
    for (let runs = 0; runs < 2; runs += 1) expect((await run(id)).tracerouteCheckResult?.pathChange).toBeNull();
    await wayVia(right);
    const changed = await run(id);
    expect([changed.hasFailures, changed.tracerouteCheckResult?.pathChange]).toEqual([
      false,
      expect.stringContaining(`hop 2 is ${right} instead of ${left}`),
    ]);
    expect((await run(id)).tracerouteCheckResult?.pathChange).toBeNull();
    // What has no hop left is thrown away before the filter asks: this router still tells of itself.
    await network.last.nft("table inet cut { chain c { type filter hook forward priority 0; drop; }; }");
    const cut = await run(id);
    expect([cut.hasFailures, cut.tracerouteCheckResult?.destinationReached]).toEqual([true, false]);
    expect(cut.errorMessage).toMatch(new RegExp(`^ETIMEDOUT: ${target} was not reached: silence after hop 3 \\(`));
    expect(cut.tracerouteCheckResult?.response?.hops.map(({ address }) => address).slice(3)).toEqual([null, null]);
    await until("the alert", () => told.some((text) => text.includes("ALERT_FAILURE") && text.includes("was not reached")));
  });
});
