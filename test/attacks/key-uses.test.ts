import { afterAll, describe, expect } from "vitest";
import type { NewApiKey } from "#contract/api-keys.ts";
import { call } from "../control-plane/call.ts";
import { controlPlaneUnderTest, eventually } from "../control-plane/control-plane-under-test.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { Site } from "../support/site.ts";
import { attack } from "./attack.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

const proxied = { TRUSTED_PROXIES: "127.0.0.1" };

/** As a proxy hands on requests of one key from so many networks. */
async function useFrom(base: string, key: string, count: number, network = 0): Promise<void> {
  const headers = (n: number) => ({ authorization: `Bearer ${key}`, "x-forwarded-for": `10.${network}.${n >> 8}.${n & 255}` });
  for (let from = 0; from < count; from += 50) {
    const some = Array.from({ length: Math.min(50, count - from) }, (_, n) =>
      fetch(`${base}/v1/variables`, { headers: headers(from + n) }),
    );
    for (const answer of await Promise.all(some)) await answer.arrayBuffer();
  }
}

interface Entry {
  readonly operation: string;
  readonly remoteAddress: string | null;
  readonly fields: readonly string[];
}

describe.each(engines.list)("uses of keys on $name", ({ databaseUrl }) => {
  attack(
    "D1",
    "a thousand networks of one tenant's key hide where another's stolen one is used",
    async (held) => {
      await using site = await Site.start({ databaseUrl: await databaseUrl(), env: { ...proxied, RATE_LIMIT_STANDARD: "100000/60" } });
      const entries = async (key: string, query = ""): Promise<readonly Entry[]> =>
        (await call(site.base, "GET", `/v1/audit-log?limit=100${query}`, { key })).body.entries;
      const { rawKey: own } = await site.api<{ rawKey: string }>("POST", "/v1/accounts", { name: "Mallory" });
      const stolen = await site.api<NewApiKey>("POST", "/v1/api-keys", { name: "Deployments", role: "READ_ONLY" });
      await useFrom(site.base, own, 1_000);
      await useFrom(site.base, stolen.rawKey, 1, 99);
      // What was noted is written within a minute, and when the control plane stops.
      site.controlPlane.signal("SIGTERM");
      await site.controlPlane.exit();
      await site.startControlPlane();
      expect(await entries(site.ownerKey, `&keyId=${stolen.id}`)).toMatchObject([
        { operation: "useKeyFromNewAddress", remoteAddress: "10.99.0.0" },
      ]);
      expect((await entries(own, "&operation=useKeyFromNewAddress")).length).toBe(50);
      expect(await entries(own, "&operation=useKeyFromMoreAddresses")).toMatchObject([
        { fields: ["and 950 more networks"], actor: { role: "OWNER", kind: "service" }, method: null, remoteAddress: null },
      ]);
      held("places of each key and account; the others are told by their number", "50 of 1,000 by name, 950 by number");
    },
    60_000,
  );

  attack(
    "D1",
    "keys of many tenants from thousands of networks fill what waits for a minute",
    async (held) => {
      const url = await databaseUrl();
      await using plane = await controlPlaneUnderTest({ ...proxied, ...(url !== undefined && { DATABASE_URL: url }) });
      const { storage, nowMs } = plane.context;
      const accounts = await Promise.all(
        Array.from({ length: 13 }, (_, n) =>
          storage.accounts.create({ uuid: crypto.randomUUID(), name: `${n}`, runtimeId: "2026.04", nowMs: nowMs() }),
        ),
      );
      for (const { id } of accounts) for (let n = 0; n < 4; n += 1) await useFrom(plane.base, await plane.keyFor("READ_ONLY", id), 60, n);
      const named = () =>
        Promise.all(accounts.map(({ id }) => storage.audit.list(id, { limit: 300, operations: ["useKeyFromNewAddress"] })));
      const told = await eventually(async () => {
        const found = await named();
        return found.flat().length >= 2_500 && found;
      });
      expect(Math.max(...told.map((one) => one.length))).toBe(200);
      await eventually(async () => {
        const { text } = await plane.call("GET", "/metrics", { key: undefined });
        return Number(/^outpost_audit_networks_unnamed_total (\d+)/m.exec(text)?.[1]) >= 400;
      });
      held("half full, all of it is written at once", `${told.flat().length} of 3,120 networks by name, each account 200`);
    },
    60_000,
  );
});
