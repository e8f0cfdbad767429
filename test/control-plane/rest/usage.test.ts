import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { type ReportedRun, reportRuns } from "./reported-runs.ts";

/** A run waits for a day at most; these may be of one day of UTC or of two. */
const [earlier, later] = [Date.now() - 20 * 3_600_000, Date.now() - 60_000];
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

describe("usage", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest({ QUEUE_WAIT_SECONDS: "86400" });
    const create = async (path: string, body: object, runs: readonly ReportedRun[]): Promise<void> => {
      const made = await plane.call("POST", `/v1/checks/${path}`, { body });
      expect(made.status).toBe(201);
      await reportRuns(plane.context.storage, plane.account.id, made.body.id, runs);
    };
    await create("api", apiCheck(), [
      { atMs: earlier, retries: 2, hasFailures: true },
      { atMs: earlier + 1_000 },
      { atMs: later, isDegraded: true },
    ]);
    await create("url", { name: "Page", locations: ["eu-west-1"], request: { method: "GET", url: "http://127.0.0.1/" } }, [
      { atMs: earlier },
    ]);
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  const ask = (path: string, query: Record<string, string> = {}) =>
    plane.call("GET", `/v1/usage/${path}?${new URLSearchParams(query).toString()}`);
  const both = { from: dayOf(earlier), to: dayOf(later) };
  const measures = (row: { readonly meters: readonly { readonly measures: object }[] }) => row.meters[0]?.measures;

  it("is of the account, without budgets", async () => {
    const { status, body } = await ask("terms");
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: plane.account.uuid, accounts: [{ id: plane.account.uuid }], creditBudget: null });
    expect((await ask("terms", { usageTermsId: crypto.randomUUID() })).status).toBe(404);
    expect((await ask("summary", { accountIds: crypto.randomUUID() })).status).toBe(404);
  });

  it("counts runs, those that were retried, failed and degraded", async () => {
    const { status, body } = await ask("summary", both);
    expect([status, body.period]).toEqual([200, both]);
    expect(measures(body.totals)).toMatchObject({ totalRuns: 6, finalRuns: 4, retryRuns: 2, failedRuns: 1, degradedRuns: 1 });
    expect(body.totals.credits).toEqual({ used: null, percentOfBudget: null });
    expect(measures((await ask("summary", { ...both, checkTypes: "URL,DNS" })).body.totals)).toMatchObject({ totalRuns: 1 });
  });

  it("is told by day and type, page by page", async () => {
    const { body } = await ask("series", both);
    const rows = body.data.map((row: { periodStart: string; checkType: string; meters: [] }) => [
      row.periodStart,
      row.checkType,
      (measures(row) as { totalRuns: number }).totalRuns,
    ]);
    const ofOneDay = [
      [both.from, "API", 5],
      [both.from, "URL", 1],
    ];
    const ofTwoDays = [
      [both.from, "API", 4],
      [both.from, "URL", 1],
      [both.to, "API", 1],
    ];
    expect(rows).toEqual(both.from === both.to ? ofOneDay : ofTwoDays);
    expect([body.length, body.nextId]).toEqual([rows.length, null]);
    const paged: unknown[] = [];
    let nextId: string | null = "";
    for (let page = 0; nextId !== null; page += 1) {
      const part: { data: unknown[]; nextId: string | null } = (await ask("series", { ...both, limit: "1", ...(page > 0 && { nextId }) }))
        .body;
      paged.push(...part.data);
      nextId = part.nextId;
    }
    expect(paged).toEqual(body.data);
    const total = (await ask("series", { ...both, interval: "total", groupBy: "account" })).body;
    expect(total.data).toMatchObject([{ periodStart: both.from, periodEnd: both.to, accountId: plane.account.uuid }]);
    expect(measures(total.data[0])).toMatchObject({ totalRuns: 6 });
    expect("accountId" in (await ask("series", { ...both, groupBy: "checkType" })).body.data[0]).toBe(false);
  });

  it.each([
    [{ from: "2026-02-02", to: "2026-02-01" }, /"from" must not be after "to"/],
    [{ from: "2020-01-01", to: "2026-01-01" }, /at most 800 days/],
    [{ from: "yesterday" }, /"from"/],
    [{ nextId: "x" }, /nextId is not one/],
    [{ interval: "hour" }, /"interval" must be one of total, day, week, month/],
  ])("refuses %j", async (query, message) => {
    const { status, body } = await ask("series", query as unknown as Record<string, string>);
    expect([status, body.message]).toEqual([400, expect.stringMatching(message)]);
  });
});
