import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AttemptReport } from "../../../src/contract/agent-protocol.ts";
import { playwrightTestStatuses } from "../../../src/contract/checks/playwright-run.ts";
import type { Storage } from "../../../src/control-plane/storage/storage.ts";
import { checkDetails } from "../../support/check-details.ts";
import { allTypes, definition, jobUuid, leaseOne, minutely, report, scene, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const dayMs = 86_400_000;
const [example] = checkDetails.PLAYWRIGHT.tests;
if (example === undefined) throw new Error("an example without tests");

describe.each(engines.names)("tests of suites on %s", (engine) => {
  it("are kept of each attempt that says something of them, by location, and go with the results", async () => {
    const place = await engines.place(engine);
    const { storage, account, agent: by, locations } = await scene(await engines.open(engine, place), ["berlin", "paris"]);
    const [berlin, paris] = [locations[0]!, locations[1]!];
    const of = await suiteOf(storage, account.id, berlin.id);
    const able = { ...by, checkTypes: ["PLAYWRIGHT"] };
    const tests = playwrightTestStatuses.map((status, index) => {
      return { ...example, title: `é ${status}`, status, durationMs: index + 0.4, project: index % 2 === 0 ? null : "phone" };
    });
    const run = async (atMs: number, more: Partial<AttemptReport>): Promise<void> => {
      await start(storage, of, [berlin.id], atMs);
      const job = await leaseOne(storage, able, atMs);
      const sent = {
        ...report(job),
        checkType: "PLAYWRIGHT",
        ...more,
        jobId: jobUuid(job),
        startedAt: atMs,
        stoppedAt: atMs + 500,
      } as AttemptReport;
      expect(await storage.results.ingest(able, [sent], atMs + 1_000)).toMatchObject([{ outcome: "accepted" }]);
    };
    const detail = { ...checkDetails.PLAYWRIGHT, tests };
    await run(t0, { detail });
    await run(t0 + 60_000, { detail: { ...detail, tests: [] } });
    await run(t0 + 120_000, { detail, isCancelled: true, hasErrors: true });
    await run(t0 + 180_000, { detail, agentSide: true, hasErrors: true, errorMessage: "no" });
    await run(t0 + 240_000, { detail: null });
    await run(t0 + 2 * dayMs, { detail: { ...detail, tests: [tests[0]!] } });
    const latest = async (more: { readonly locationCode?: string; readonly limit?: number } = {}) =>
      (await storage.suiteRuns.latest({ checkId: of.id, limit: 10, ...more })).map(
        ({ startedAtMs, runAtMs, attempt, location, tests: all }) => [startedAtMs, runAtMs, attempt, location, all.length],
      );
    const [newest, oldest] = [t0 + 2 * dayMs, t0].map((at, index) => [at, at, 1, berlin.code, index === 0 ? 1 : tests.length]);
    expect(await latest()).toEqual([newest, oldest]);
    expect(await latest({ limit: 1 })).toEqual([newest]);
    expect(await latest({ locationCode: berlin.code })).toEqual([newest, oldest]);
    expect(await latest({ locationCode: paris.code })).toEqual([]);
    const [, first] = await storage.suiteRuns.latest({ checkId: of.id, limit: 10 });
    const kept = tests.map(({ title, project, file, line, status, durationMs }) => ({
      title,
      project,
      file,
      line,
      status,
      durationMs: Math.round(durationMs),
    }));
    expect(new Set(first?.tests)).toEqual(new Set(kept));

    await storage.results.prune(t0 + dayMs, 1_000);
    expect(await latest()).toEqual([newest]);
  });

  it("each have an error group of their own where they failed, which their result names behind its own", async () => {
    const { storage, account, agent: by, berlin } = await scene(await engines.open(engine));
    const of = await suiteOf(storage, account.id, berlin.id);
    const able = { ...by, checkTypes: ["PLAYWRIGHT"] };
    const errorOf = (title: string, message: string) => ({ ...checkDetails.PLAYWRIGHT.errors[0]!, title, message });
    const fail = async (atMs: number, ...titles: readonly string[]): Promise<void> => {
      await start(storage, of, [berlin.id], atMs);
      const job = await leaseOne(storage, able, atMs);
      const tests = titles.map((title) => ({ ...example, title, status: "failed" as const }));
      const detail = {
        ...checkDetails.PLAYWRIGHT,
        steps: [],
        tests,
        errors: titles.map((title) => errorOf(title, `Error: ${title} broke`)),
      };
      const sent = {
        ...report(job),
        checkType: "PLAYWRIGHT",
        hasFailures: true,
        errorMessage: `${titles[0]}: ${titles[0]} broke`,
        detail,
      };
      await storage.results.ingest(
        able,
        [{ ...sent, jobId: jobUuid(job), startedAt: atMs, stoppedAt: atMs + 500 } as AttemptReport],
        atMs + 1_000,
      );
    };
    await fail(t0, "pays", "opens", "closes");
    await fail(t0 + 60_000, "opens");
    const groups = (await storage.errorGroups.list(account.id, { checkId: of.id, page: 1, limit: 10 })).items;
    const idOf = (word: string) => groups.find(({ rawMessage }) => rawMessage.startsWith(word))?.id;
    expect(groups).toHaveLength(3);
    const { items } = await storage.results.list({ checkId: of.id, limit: 10, resultTypes: allTypes, withDetails: false });
    expect(items.map(({ errorGroupIds }) => errorGroupIds)).toEqual([[idOf("opens")], [idOf("pays"), idOf("opens"), idOf("closes")]]);
    expect(groups.find(({ id }) => id === idOf("opens"))).toMatchObject({ firstSeenMs: t0, lastSeenMs: t0 + 60_000 });
  });
});

function suiteOf(storage: Storage, accountId: number, locationId: number) {
  return storage.checks.create({
    uuid: randomUUID(),
    accountId,
    type: "PLAYWRIGHT",
    definition: definition(),
    locationIds: [locationId],
    schedule: minutely,
    nowMs: t0,
  });
}
