import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck } from "#contract/checks/api.ts";
import { ConfigError } from "#daemon/env.ts";
import { checkTexts } from "../../src/check-texts.ts";
import { createLocationKey, ensurePrivateLocation, ensureSetup, issueServiceKey } from "../../src/control-plane/accounts/setup.ts";
import { readControlPlaneConfig } from "../../src/control-plane/config.ts";
import { createControlPlane } from "../../src/control-plane/control-plane.ts";
import { openStore } from "../../src/control-plane/open-store.ts";
import { createCheckFor } from "../../src/control-plane/rest/create-check-for.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "./control-plane-under-test.ts";
import { FakeAgent } from "./fake-agent.ts";

describe("the first start", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  it("makes an account and a key that may do everything, once", async () => {
    expect(plane.ownerKey).toMatch(/^sv_[0-9a-f]{32}$/);
    expect((await plane.call("GET", "/v1/accounts/me")).body).toMatchObject({ id: plane.account.uuid, runtimeId: "2026.04" });
    expect(await ensureSetup(plane.context)).toEqual({ account: plane.account, serviceKey: null });
    const { rawKey } = await issueServiceKey(plane.context, plane.account, { role: "OWNER", name: "Second key" });
    expect((await plane.call("GET", "/v1/checks", { key: rawKey })).status).toBe(200);
  });

  it("makes one account and one key, however many processes start at once", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "outpost-setup-"));
    const { storage, hashOf } = await openStore(readControlPlaneConfig({ DATA_DIR: dataDir }), { nowMs: Date.now() });
    const all = await Promise.all(Array.from({ length: 5 }, () => ensureSetup({ storage, hashOf, nowMs: Date.now })));
    expect(new Set(all.map(({ account }) => account.uuid)).size).toBe(1);
    expect(all.filter(({ serviceKey }) => serviceKey !== null)).toHaveLength(1);
    expect(await storage.accounts.list()).toHaveLength(1);
    await storage.close();
    await rm(dataDir, { recursive: true });
  });

  it("makes a private location once, with a key that an agent can use, and a check that runs there", async () => {
    const wanted = { slugName: "local", name: "This machine" };
    const place = await ensurePrivateLocation(plane.context, plane.account, wanted);
    expect((await ensurePrivateLocation(plane.context, plane.account, wanted)).id).toBe(place.id);
    const { rawKey } = await createLocationKey(plane.context, place.uuid);
    expect((await FakeAgent.open(plane.base, rawKey)).session.location).toEqual({ id: "local", name: "This machine" });
    const check = await createCheckFor(
      plane.context,
      plane.account,
      apiCheck.create.parse({ name: "Demo", privateLocations: ["local"], request: { method: "GET", url: plane.base } }),
    );
    expect((await plane.call("GET", `/v1/checks/${check.uuid}`)).body.privateLocations).toEqual(["local"]);
  });

  it("issues at most two keys of a location, unless the oldest may go", async () => {
    let nowMs = Date.now();
    const context = { ...plane.context, nowMs: () => (nowMs += 1) }; // two keys of one millisecond are equally old
    const keys = [await createLocationKey(context, "us-west-2"), await createLocationKey(context, "us-west-2")];
    await expect(createLocationKey(context, "us-west-2")).rejects.toMatchObject({ code: "conflict" });
    const third = await createLocationKey(context, "us-west-2", { replaceOldest: true });
    expect((await FakeAgent.hello(plane.base, keys[0]!.rawKey)).status).toBe(401);
    expect((await FakeAgent.hello(plane.base, third.rawKey)).status).toBe(201);
    await expect(createLocationKey(context, "nowhere")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a control plane that cannot start", () => {
  const log = pino({ level: "silent" });
  const folder = () => mkdtemp(join(tmpdir(), "outpost-start-"));

  it("names a taken port and lets go of its folder", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const env = { DATA_DIR: await folder(), PORT: String((taken.address() as AddressInfo).port) };
    const first = await createControlPlane(readControlPlaneConfig(env), { log, checkTexts });
    await expect(first.start()).rejects.toThrow(ConfigError);
    taken.close();
    await once(taken, "close");
    const second = await createControlPlane(readControlPlaneConfig(env), { log, checkTexts });
    await second.start();
    await second.stop(AbortSignal.timeout(2_000));
  });

  it("names a folder that another one uses", async () => {
    const config = readControlPlaneConfig({ DATA_DIR: await folder(), PORT: "0" });
    const first = await createControlPlane(config, { log, checkTexts });
    await expect(createControlPlane(config, { log, checkTexts })).rejects.toThrow(/DATA_DIR/);
    await first.stop(AbortSignal.timeout(2_000));
  });
});
