import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { expect, it } from "vitest";
import { checkTexts } from "../../../src/check-texts.ts";
import { readControlPlaneConfig } from "../../../src/control-plane/config.ts";
import { createControlPlane } from "../../../src/control-plane/control-plane.ts";
import { channelOwner, sealedConfig } from "../../../src/control-plane/secrets/channel-secrets.ts";
import { OutpostProcess } from "../../support/processes.ts";
import { eventually } from "../control-plane-under-test.ts";
import { AlertScene } from "../storage/alert-scene.ts";
import { t0 } from "../storage/fixture.ts";
import { receiver } from "./channels/receiver.ts";

const log = pino({ level: "silent" });

it("a control plane that is killed between sending and recording sends again within 20 s under the same id, once", {
  timeout: 120_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "killed-notifier-"));
  const env = { DATA_DIR: join(folder, "data"), PORT: "0", HOST: "127.0.0.1", WEBHOOK_EGRESS: "127.0.0.1" };
  const config = readControlPlaneConfig(env);
  const arrived = Promise.withResolvers<void>();
  await using service = await receiver((response) => {
    if (service.received.length === 1) return arrived.resolve();
    response.end("ok");
  });

  const before = await createControlPlane(config, { log, checkTexts });
  const scene = await AlertScene.open(before.storage);
  const check = await scene.check({ name: "shop" });
  const uuid = randomUUID();
  const sealed = sealedConfig(
    { name: "hook", url: service.url, method: "POST", headers: [], queryParameters: [] },
    before.sealing,
    channelOwner(scene.owner.id, uuid),
  );
  const definition = { type: "WEBHOOK", config: sealed, sendFailure: true, sendDegraded: true, sendRecovery: true, sslExpiry: false };
  await before.storage.alertSubscriptions.createChannel(
    { uuid, accountId: scene.owner.id, kind: "alert-channel", definition, nowMs: t0 },
    [{ target: { checkUuid: check.uuid }, activated: true }],
    1,
  );
  await scene.runs(check, "PF");
  await before.stop(AbortSignal.timeout(5_000));

  await using killed = new OutpostProcess(["control-plane"], env, folder);
  await arrived.promise;
  await killed.kill();

  const killedMs = performance.now();
  const after = await createControlPlane(config, { log, checkTexts });
  await after.start();
  const records = () => after.storage.alertNotifications.list(scene.owner.id, { page: 1, limit: 10 });
  const { items } = await eventually(async () => ((await records()).total > 0 ? records() : undefined));
  await after.stop(AbortSignal.timeout(5_000));
  expect(performance.now() - killedMs).toBeLessThan(20_000);
  expect(items).toMatchObject([{ status: "SUCCESS", result: "200" }]);
  expect(service.received).toHaveLength(2);
  expect(new Set(service.received.map(({ headers }) => headers["x-service-delivery-id"])).size).toBe(1);
  await rm(folder, { recursive: true });
});
