import { afterAll, describe, expect, it } from "vitest";
import type { AttemptReport } from "#contract/agent-protocol.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "./control-plane-under-test.ts";
import { FakeAgent, reportOf } from "./fake-agent.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

describe.each(engines.list)("results over HTTP on $name", (engine) => {
  async function running(): Promise<ControlPlaneUnderTest & { agent: FakeAgent; checkId: string; trigger: () => Promise<string> }> {
    const url = await engine.databaseUrl();
    const plane = await controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"));
    const {
      body: { id: checkId },
    } = await plane.call("POST", "/v1/checks/api", { body: apiCheck() });
    const trigger = async (): Promise<string> =>
      (await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } })).body.sessions[0].checkSessionId;
    return { ...plane, agent, checkId, trigger };
  }

  it("reads what came without detail and metrics through every operation", async () => {
    await using site = await running();
    const changes: readonly Partial<AttemptReport>[] = [
      { hasErrors: true, agentSide: true, errorMessage: "CONFIGURATION: no such runtime" },
      { isCancelled: true, hasErrors: true },
    ];
    const sessions: string[] = [];
    for (const change of changes) {
      sessions.push(await site.trigger());
      const [job] = await site.agent.lease();
      const bare = { detail: null, metrics: {}, statusCode: null, responseTimeMs: 0 };
      expect(await site.agent.report(reportOf(job!, { ...bare, ...change }))).toMatchObject([{ outcome: "accepted" }]);
    }
    const paths = [`/v2/check-results/${site.checkId}`, `/v1/check-results/${site.checkId}`].map((path) => `${path}?resultType=ALL`);
    const [cursored, paged] = await Promise.all(paths.map(async (path) => site.call("GET", path)));
    expect(cursored?.body.entries).toMatchObject([
      { isCancelled: true, apiCheckResult: null, responseTime: 0 },
      { agentSide: true, hasErrors: true, hasFailures: false, apiCheckResult: null },
    ]);
    expect(paged?.body).toEqual(cursored?.body.entries);
    for (const entry of paged?.body ?? [])
      expect((await site.call("GET", `/v1/check-results/${site.checkId}/${entry.id}`)).body).toEqual(entry);
    for (const [index, status] of ["TIMED_OUT", "CANCELLED"].entries()) {
      for (const path of [`/v2/check-sessions/${sessions[index]}`, `/v2/check-sessions/${sessions[index]}/completion`]) {
        expect((await site.call("GET", path)).body).toMatchObject({ status, results: [{ resultType: "FINAL" }] });
      }
      expect((await site.call("GET", `/v1/check-sessions/${sessions[index]}`)).body).toMatchObject({ status: "TIMED_OUT" });
    }
    // Neither says anything about the target, so the check has no status: it is not told as passing.
    expect((await site.call("GET", "/v1/check-statuses")).body).toEqual([]);
    expect((await site.call("GET", `/v1/check-statuses/${site.checkId}`)).status).toBe(404);
    expect((await site.call("GET", "/v1/checks?status=passing")).body).toEqual([]);
  });

  it("replaces MISSED by a late FINAL: exactly one of both is there", async () => {
    await using site = await running();
    const session = await site.trigger();
    const [job] = await site.agent.lease();
    await site.agent.release(job!);
    site.advance(370_000);
    const read = async (): Promise<{ resultType: string; responseTime: number }[]> =>
      (await site.call("GET", `/v2/check-results/${site.checkId}?resultType=ALL`)).body.entries;
    await eventually(async () => (await read()).length > 0);
    expect(await read()).toMatchObject([{ resultType: "MISSED", missedReason: "expired" }]);
    expect(await site.agent.report(reportOf(job!), reportOf(job!))).toMatchObject([{ outcome: "accepted" }, { outcome: "duplicate" }]);
    expect(await site.agent.report(reportOf(job!))).toMatchObject([{ outcome: "duplicate" }]);
    expect(await read()).toMatchObject([{ resultType: "FINAL", responseTime: 13, apiCheckResult: { response: { status: 200 } } }]);
    expect((await site.call("GET", `/v2/check-sessions/${session}`)).body).toMatchObject({
      status: "PASSED",
      results: [{ resultType: "FINAL" }],
    });
  });
});
