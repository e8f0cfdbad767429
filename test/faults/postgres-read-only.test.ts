import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { ledgerTarget } from "../support/ledger-target.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { startPostgres } from "../support/postgres.ts";
import { pause, until } from "../support/processes.ts";
import { Site } from "../support/site.ts";

const postgres = await startPostgres({ own: true });
afterAll(() => postgres?.[Symbol.asyncDispose]());

/** Ends every connection, and lets nobody write from then on, or again: a server that is demoted, and its successor. */
async function become(databaseUrl: string, readOnly: "on" | "off"): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("set default_transaction_read_only = off");
  await client.query(`alter system set default_transaction_read_only = ${readOnly}`);
  await client.query("select pg_reload_conf()");
  await pause(200);
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await client.end();
}

it.skipIf(postgres === undefined)(
  "a PostgreSQL that fails over, read-only for 20 s, loses no run and says what it is (S-09)",
  { timeout: 120_000 },
  async () => {
    if (postgres === undefined) return;
    await using target = await ledgerTarget();
    const databaseUrl = await postgres.database("failover");
    // Longer than all of it takes on a busy machine: a lease that ends meanwhile is given to another run, rightly.
    await using site = await Site.start({ databaseUrl, env: { LEASE_SECONDS: "120" } });
    const agent = await site.agent(await site.location("north")).ready();
    const checks = await Promise.all(Array.from({ length: 10 }, (_, index) => site.check(target.url(`check-${index}`), ["north"])));
    target.hold();
    const sessions = await site.trigger(...checks);
    await until("all runs at the target", () => target.waiting() === checks.length);
    await become(databaseUrl, "on");
    target.release();
    await until("all results in the outbox", async () => (await agent.health()).outbox.depth === checks.length);
    const refused = await fetch(`${site.base}/v1/checks/api`, {
      method: "POST",
      headers: { authorization: `Bearer ${site.ownerKey}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "not now", privateLocations: ["north"], request: { method: "GET", url: "http://127.0.0.1:9" } }),
    });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    await until("a control plane that is not ready", async () => (await fetch(`${site.base}/-/readiness`)).status === 503);
    expect(await (await fetch(`${site.base}/health`)).text()).toContain("read-only");
    expect((await fetch(`${site.base}/v1/checks`, { headers: { authorization: `Bearer ${site.ownerKey}` } })).status).toBe(200);
    await pause(20_000);
    await become(databaseUrl, "off");
    await expectNothingLost(site, { sessions }, 60_000);
    await until("readiness", async () => (await fetch(`${site.base}/-/readiness`)).status === 200);
    expect(target.requests()).toBe(checks.length);
  },
);
