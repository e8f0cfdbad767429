import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect } from "vitest";
import type { CheckRow } from "../../src/control-plane/storage/storage.ts";
import type { Service } from "../../src/daemon/service.ts";
import { type ChannelSettings, startNotifier, webhookChannel } from "../control-plane/alerting/notifying.ts";
import { eventually } from "../control-plane/control-plane-under-test.ts";
import { AlertScene, minute } from "../control-plane/storage/alert-scene.ts";
import { t0, useEngines } from "../control-plane/storage/fixture.ts";
import { attack } from "./attack.ts";
import { asUsualMs } from "./cpu-of.ts";

const engines = await useEngines();
const limitMs = 2_000;

/** What runs until the test ends. */
const running: Service[] = [];
afterEach(async () => {
  for (const service of running.splice(0).toReversed()) await service.stop(AbortSignal.abort(new Error("the test is over")));
});

/** Answers requests at `/good` and leaves all others hanging; it has every address of 127.0.0.0/8. */
async function receivers() {
  const hanging: ServerResponse[] = [];
  const told = Promise.withResolvers<number>();
  const server = createServer((request, answer) => {
    if (!request.url?.startsWith("/good")) return void hanging.push(answer);
    told.resolve(performance.now());
    answer.end();
  });
  await once(server.listen(0, "0.0.0.0"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    at: (address: string, path: string) => `http://${address}:${port}/${path}`,
    hanging: () => hanging.length,
    told: told.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}

/** An account that attacks, and another one in the same store. */
async function tenants(engine: (typeof engines.oneServer)[number]) {
  const storage = await engines.open(engine);
  const [mean, other] = [await AlertScene.open(storage), await AlertScene.open(storage)];
  return {
    mean,
    /** How long an alert of the other account takes from its storing on once its attacker holds what it can get, in milliseconds. */
    measured: async (hosts: Awaited<ReturnType<typeof receivers>>): Promise<number> => {
      const own = await other.check();
      await webhookChannel(other, hosts.at("127.0.0.1", "good"), [own]);
      const aheadMs = t0 + 60 * minute - Date.now();
      const { services } = await startNotifier(storage, () => Date.now() + aheadMs);
      running.push(...services);
      await eventually(async () => hosts.hanging() >= 16);
      await other.runs(own, "PF");
      const storedMs = performance.now();
      return Math.max(0, (await hosts.told) - storedMs);
    },
  };
}

async function channels(
  of: AlertScene,
  count: number,
  checks: readonly CheckRow[],
  addressOf: (index: number) => string,
  settings: ChannelSettings = {},
): Promise<void> {
  for (let index = 0; index < count; index += 1) await webhookChannel(of, addressOf(index), checks, settings);
}

describe.each(engines.oneServer)("alerts of one account on %s", (engine) => {
  attack(
    "B6",
    `an alert, while 1,200 receivers of another account hang, each at an address of its own (${engine})`,
    async (held) => {
      await using hosts = await receivers();
      const { mean, measured } = await tenants(engine);
      const check = await mean.check();
      await channels(mean, 1_200, [check], (index) => hosts.at(`127.1.${index >> 8}.${index & 255}`, "mean"));
      await mean.runs(check, "PF");
      const tookMs = await measured(hosts);
      expect(asUsualMs(tookMs, limitMs)).toBeLessThan(limitMs);
      held("places by account", `told after ${tookMs.toFixed(0)} ms (limit ${limitMs}), ${hosts.hanging()} hanging`);
    },
    240_000,
  );

  attack(
    "B6",
    `an alert for a service where 50 messages of another account hang (${engine})`,
    async (held) => {
      await using hosts = await receivers();
      const { mean, measured } = await tenants(engine);
      const check = await mean.check();
      await channels(mean, 50, [check], (index) => hosts.at("127.0.0.1", `mean/${index}`));
      await mean.runs(check, "PF");
      const tookMs = await measured(hosts);
      expect(asUsualMs(tookMs, limitMs)).toBeLessThan(limitMs);
      held("no queue by address", `told after ${tookMs.toFixed(0)} ms (limit ${limitMs}), ${hosts.hanging()} hanging`);
    },
    240_000,
  );

  attack(
    "B6",
    `an alert behind 300 of another account, each for 1,000 channels with templates of 60 KB (${engine})`,
    async (held) => {
      await using hosts = await receivers();
      const { mean, measured } = await tenants(engine);
      const checks = await Promise.all(Array.from({ length: 30 }, () => mean.check()));
      const template = "x".repeat(60_000);
      await channels(mean, 1_000, checks, (index) => hosts.at(`127.1.${index >> 8}.${index & 255}`, "mean"), { template });
      for (const check of checks) await mean.runs(check, "PFPFPFPFPFP");
      const tookMs = await measured(hosts);
      expect(asUsualMs(tookMs, limitMs)).toBeLessThan(limitMs);
      held(
        "alerts become messages account by account, so many at once",
        `told after ${tookMs.toFixed(0)} ms (limit ${limitMs}), ${hosts.hanging()} hanging`,
      );
    },
    240_000,
  );
});
