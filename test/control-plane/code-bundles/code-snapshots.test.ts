import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { browserOfCode } from "#contract/agent-baselines.ts";
import { codeSnapshotLimits } from "#contract/code-snapshots.ts";
import { enginesUnderTest } from "../../support/engines.ts";
import { MqttTestClient, topicsOf } from "../../support/mqtt-client.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";

const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());

const octets = { "content-type": "application/octet-stream" };
const able = { checkTypes: ["BROWSER"], runtimes: ["2026.04"], sandboxLevel: 2 };
const path = "shop/front.spec.ts-snapshots/front-chromium-linux.png";
const name = "shop/front.spec.ts-snapshots/front-linux.png";
const script = { script: "await expect(page).toHaveScreenshot('front.png')", scriptPath: "shop/front.spec.ts" };

describe.each(engines.list)("snapshots of code on $name", { timeout: 120_000 }, (engine) => {
  async function running(): Promise<ControlPlaneUnderTest> {
    const url = await engine.databaseUrl();
    return controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
  }
  const upload = (plane: ControlPlaneUnderTest, body: Buffer, key?: string) =>
    plane.call("POST", "/next/checkly-storage/upload", { body, headers: octets, ...(key !== undefined && { key }) });
  const download = (plane: ControlPlaneUnderTest, key: string, as?: string) =>
    plane.call("POST", "/next/checkly-storage/download", { body: { key }, ...(as !== undefined && { key: as }) });

  it("are stored once, come back as they were, and are another account's business never", async () => {
    await using plane = await running();
    const first = await upload(plane, Buffer.from("a picture"));
    expect([first.status, (await upload(plane, Buffer.from("a picture"))).body]).toEqual([200, first.body]);
    const back = await download(plane, first.body.key);
    expect([back.status, back.text, back.headers.get("content-type")]).toEqual([200, "a picture", "application/octet-stream"]);
    expect((await download(plane, "no such key")).status).toBe(404);
    const { storage, nowMs } = plane.context;
    const other = await storage.accounts.create({ uuid: randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: nowMs() });
    expect((await download(plane, first.body.key, await plane.keyFor("OWNER", other.id))).status).toBe(404);
    expect((await upload(plane, Buffer.from("x"), await plane.keyFor("READ_RUN"))).status).toBe(403);
    expect((await upload(plane, Buffer.alloc(0))).status).toBe(400);
    expect((await upload(plane, Buffer.alloc(codeSnapshotLimits.snapshotBytes + 1))).status).toBe(413);
  });

  it("are what the screenshots of a deployed check are compared with, and go a week after no check names them", async () => {
    await using plane = await running();
    const { key } = (await upload(plane, Buffer.from("of the code"))).body;
    const check = { checkType: "BROWSER", name: "Front", locations: ["ap-east-1"], frequency: 1440, ...script, snapshots: [{ key, path }] };
    const project = { logicalId: "shop", name: "Shop" };
    const resources = [{ logicalId: "front", type: "check", payload: check }];
    const deployed = await plane.call("POST", "/next-v2/projects/deploy?scheduleOnDeploy=false", { body: { project, resources } });
    const checkId = deployed.body.diff[0].physicalId;
    expect((await plane.call("GET", `/v1/checks/${checkId}`)).body.snapshots).toEqual([{ key, path }]);
    expect((await plane.call("POST", "/next-v2/projects/deploy", { body: { project, resources } })).body.diff).toEqual([]);

    const agent = await FakeAgent.open(plane.base, await plane.locationKey("ap-east-1"), able);
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: [checkId] } } });
    const [leased] = await agent.lease(1, 5);
    const job = { jobId: leased!.jobId, fence: leased!.fence };
    const listed = (await agent.send("POST", "/baselines/list", job)).body;
    expect(listed).toEqual({ baselines: [{ browser: browserOfCode, name, writtenAt: expect.any(Number) }], isCodeNamed: true });
    const read = await agent.send("POST", "/baselines/read", { ...job, browser: browserOfCode, name });
    expect(Buffer.from(read.body.data, "base64").toString()).toBe("of the code");
    expect((await agent.send("POST", "/baselines/read", { ...job, browser: browserOfCode, name: "other.png" })).status).toBe(404);

    const { codeSnapshots } = plane.context.storage;
    const weekLater = Date.now() + 8 * 24 * 3_600_000;
    await codeSnapshots.sweep(weekLater - 1, weekLater, 100);
    expect((await download(plane, key)).status).toBe(200);
    await plane.call("DELETE", `/v1/checks/${checkId}`);
    await codeSnapshots.sweep(weekLater + 1, weekLater + 2, 100);
    expect((await download(plane, key)).status).toBe(404);
  });

  it("are taken anew by a run whose client asks for them, which is told what to download", async () => {
    await using plane = await running();
    const suites = { compared: randomUUID(), updated: randomUUID() };
    const { key } = (await upload(plane, Buffer.from("before"))).body;
    const job = (updateSnapshots: boolean) => ({
      checkType: "BROWSER",
      name: "Front",
      logicalId: "front",
      ...script,
      snapshots: [{ key, path }],
      sourceInfo: { checkRunSuiteId: updateSnapshots ? suites.updated : suites.compared, checkRunId: randomUUID(), updateSnapshots },
    });
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("ap-east-1"), able);
    const run = async (updateSnapshots: boolean) => {
      const body = { name: "Shop", runLocation: "ap-east-1", checkRunJobs: [job(updateSnapshots)] };
      expect((await plane.call("POST", "/v1/test-sessions/run", { body })).status).toBe(202);
      const [leased] = await agent.lease(1, 5);
      return leased!;
    };
    const refOf = ({ jobId, fence }: { jobId: string; fence: number }) => ({ jobId, fence });

    const compared = await run(false);
    expect((await agent.send("POST", "/baselines/list", refOf(compared))).body.baselines).toMatchObject([{ browser: browserOfCode, name }]);
    const data = Buffer.from("after").toString("base64");
    expect((await agent.send("POST", "/baselines/keep", { ...refOf(compared), browser: 156, name: "a.png", data })).status).toBe(200);
    await agent.report(reportOf(compared));

    const updated = await run(true);
    expect((await agent.send("POST", "/baselines/list", refOf(updated))).body).toEqual({ baselines: [], isCodeNamed: true });
    expect((await agent.send("POST", "/baselines/keep", { ...refOf(updated), browser: 156, name, data })).status).toBe(200);
    await agent.report(reportOf(updated));
    const snapshotsTold = async (suite: string): Promise<unknown> => {
      await using client = await MqttTestClient.open(plane.base);
      await client.connect({ username: plane.account.uuid, password: plane.ownerKey });
      await client.subscribe(topicsOf(plane.account.uuid, suite));
      return (await client.messages(2)).at(-1)?.body.result.assets.snapshots;
    };
    expect(await snapshotsTold(suites.compared)).toBeUndefined();
    const told = (await snapshotsTold(suites.updated)) as { readonly key: string }[];
    expect(told).toEqual([{ path: name, key: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    expect((await download(plane, told[0]?.key ?? "")).text).toBe("after");
  });
});
