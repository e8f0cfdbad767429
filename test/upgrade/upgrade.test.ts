import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { freePort } from "../support/free-ports.ts";
import { startPostgres } from "../support/postgres.ts";
import { OutpostProcess } from "../support/processes.ts";
import { type Engine, engines, type FixtureCheck, fixtureNames, layFixture, readFixture } from "./fixture.ts";
import { RestClient } from "./rest-client.ts";
import { startTarget } from "./target.ts";

const postgres = await startPostgres();
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]();
});
const tried = fixtureNames.flatMap((version) => engines.map((engine) => ({ version, engine })));
/** What make-fixture.ts stored as a secret, where the version could: only the right encryption key opens it. */
const sealed = { name: "SEALED", value: "a secret" };
/** The fixtures grow old; what they hold must not be too old to be kept. */
const keepsAll = { RESULTS_KEEP_DAYS: "3650", ROLLUPS_KEEP_DAYS: "3650" };

/** A control plane of this version on the store that an earlier one left. */
async function upgraded(version: (typeof fixtureNames)[number], engine: Engine) {
  const folder = mkdtempSync(join(tmpdir(), "outpost-upgrade-"));
  const dataDir = join(folder, "control-plane");
  const databaseUrl = engine === "sqlite" ? undefined : await postgres?.database(`test_${randomUUID().replaceAll("-", "")}`);
  await layFixture(version, engine, dataDir, databaseUrl);
  const port = await freePort();
  const store = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  const env = { DATA_DIR: dataDir, PORT: String(port), HOST: "127.0.0.1", ...keepsAll, ...store, ...keysOf(engine, dataDir) };
  const controlPlane = new OutpostProcess(["control-plane"], env, folder);
  const contents = readFixture(version, engine);
  const base = `http://127.0.0.1:${port}`;
  return {
    controlPlane,
    contents,
    base,
    folder,
    rest: new RestClient(base, contents.ownerKey),
    async [Symbol.asyncDispose]() {
      await controlPlane[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** With PostgreSQL both are given by variables; with SQLite they are files of the data folder, and an early version had but one of them. */
function keysOf(engine: Engine, dataDir: string): Readonly<Record<string, string>> {
  if (engine === "sqlite") return {};
  return { KEY_PEPPER_FILE: join(dataDir, "pepper"), ENCRYPTION_KEY_FILE: join(dataDir, "encryption.key") };
}

describe.each(tried)("an upgrade from $version on $engine", ({ version, engine }) => {
  it.skipIf(engine === "postgres" && postgres === undefined)(
    "keeps what was stored, reads it over REST, opens its secrets, and runs checks with an agent of the key that was there",
    { timeout: 120_000 },
    async () => {
      await using site = await upgraded(version, engine);
      await site.controlPlane.logged("control plane is ready");
      for (const check of site.contents.checks) {
        expect(await site.rest.ask("GET", `/v1/checks/${check.id}`)).toMatchObject({ name: check.name, privateLocations: ["berlin"] });
        const kept = await site.rest.results(check.id);
        expect(byId(kept)).toEqual(byId(check.results));
        for (const { id, hasFailures } of check.results)
          expect(await site.rest.ask("GET", `/v1/check-results/${check.id}/${id}`)).toMatchObject({
            hasFailures,
            apiCheckResult: { response: { status: hasFailures ? 503 : 200, body: "a body" } },
          });
      }
      for (const { path, text } of site.contents.others) expect(await site.rest.text(path)).toContain(text);

      await using target = await startTarget();
      const [check] = site.contents.checks;
      const id = check?.id ?? "";
      const isSealed = site.contents.others.some(({ text }) => text === sealed.name);
      const headers = isSealed ? [{ key: "x-sealed", value: `{{${sealed.name}}}` }] : [];
      const request = { method: "GET", url: `${target.base}/ok`, headers, assertions: [] };
      await site.rest.ask("PUT", `/v1/checks/api/${id}`, { request });
      const agentEnv = {
        API_KEY: site.contents.locationKey,
        API_URL: site.base,
        AGENT_HEALTH_PORT: "0",
        DATA_DIR: join(site.folder, "agent"),
      };
      await using _agent = new OutpostProcess(["agent"], agentEnv, site.folder);
      await site.rest.run(id);
      expect(target.headers()["x-sealed"]).toBe(isSealed ? sealed.value : undefined);
      const after = await site.rest.results(id);
      // One was asked for. A daily slot that passed while nothing ran here is made up for, at most hours of the day there is none.
      const added = after.slice(0, after.length - (check?.results.length ?? 0));
      expect([1, 2]).toContain(added.length);
      expect(added.filter(({ hasFailures }) => hasFailures)).toEqual([]);
    },
  );
});

it("is tried from each release before the newest", () => {
  const [, ...earlier] = [...readFileSync("CHANGELOG.md", "utf8").matchAll(/^## (\d+\.\d+\.\d+) - /gm)].map(([, version]) => version);
  expect(earlier.filter((version) => !fixtureNames.some((name) => name === version))).toEqual([]);
});

it("is tried from stores of several versions, each with results that passed and failed", () => {
  const contents = tried.map(({ version, engine }) => readFixture(version, engine));
  for (const { checks } of contents) {
    const results = checks.flatMap((check) => check.results);
    const failed = results.filter(({ hasFailures }) => hasFailures);
    expect([results.length, failed.length]).toEqual([6, 3]);
  }
  expect(new Set(contents.map(({ commit }) => commit)).size).toBe(fixtureNames.length);
});

function byId(results: FixtureCheck["results"]): FixtureCheck["results"] {
  return results.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
