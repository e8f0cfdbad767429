import { createHash, randomUUID } from "node:crypto";
import { pino } from "pino";
import { noProxies } from "#daemon/proxy.ts";
import { createSenders } from "../../../src/control-plane/alerting/channels/create-senders.ts";
import { createNotifier } from "../../../src/control-plane/alerting/notifier.ts";
import { readControlPlaneConfig } from "../../../src/control-plane/config.ts";
import { createSealing } from "../../../src/control-plane/keys/sealing.ts";
import { createMetrics } from "../../../src/control-plane/metrics/metrics.ts";
import { channelOwner, sealedConfig } from "../../../src/control-plane/secrets/channel-secrets.ts";
import type { CheckRow, Storage } from "../../../src/control-plane/storage/storage.ts";
import type { Service } from "../../../src/daemon/service.ts";
import type { AlertScene } from "../storage/alert-scene.ts";
import { t0 } from "../storage/fixture.ts";

const sealing = createSealing({ no: 1, key: Buffer.alloc(32, 7) }, "pepper of the tests");
const log = pino({ level: "silent" });

export interface Notifying {
  readonly service: Service;
  /** What it stops with, the last first. */
  readonly services: readonly Service[];
  /** Its metrics of alerts with their values. */
  readonly counted: () => Promise<readonly string[]>;
}

/** A notifier that tells what waits in `storage`, by senders that may reach this machine. */
export async function startNotifier(
  storage: Storage,
  nowMs: () => number,
  env: Readonly<Record<string, string>> = {},
  restMs = 100,
): Promise<Notifying> {
  const { channels } = readControlPlaneConfig({ WEBHOOK_EGRESS: "127.0.0.0/8,::1", ...env });
  const senders = createSenders(channels, noProxies, nowMs);
  const { alertDeliveries, documents, signals, jobs } = storage;
  const metrics = createMetrics({ alertDeliveries, jobs, waitingPolls: () => 0, works: () => ({}), nowMs });
  const parts = { alertDeliveries, documents, signals, restMs, sealing, log, nowMs, monotonicMs: nowMs, metrics, budget: channels.budget };
  const service = createNotifier({
    ...parts,
    report: { worked() {}, failed() {} },
    senders: senders.senders,
    hashOf: (text) => createHash("sha256").update(text).digest("hex"),
    publicUrl: () => "http://outpost.example",
  });
  await service.start();
  const counted = async () =>
    (await metrics.text({ tellsLocations: true })).body.split("\n").filter((line) => line.startsWith("outpost_alert"));
  return { service, services: [senders, service], counted };
}

export interface ChannelSettings {
  readonly sslExpiry?: boolean;
  readonly sslExpiryThreshold?: number;
  readonly sendDegraded?: boolean;
  readonly sendRecovery?: boolean;
  /** Of the body. */
  readonly template?: string;
}

/** A webhook channel with this address, subscribed to these checks. */
export function webhookChannel(of: AlertScene, url: string, checks: readonly CheckRow[], settings: ChannelSettings = {}) {
  const { template = null, ...wishes } = settings;
  const uuid = randomUUID();
  const config = sealedConfig(
    { name: "hook", url: `${url}/hook-key`, method: "POST", template, headers: [], queryParameters: [] },
    sealing,
    channelOwner(of.owner.id, uuid),
  );
  const switches = { sendFailure: true, sendDegraded: true, sendRecovery: true, sslExpiry: false, ...wishes };
  const definition = { type: "WEBHOOK", config, ...switches };
  return of.storage.alertSubscriptions.createChannel(
    { uuid, accountId: of.owner.id, kind: "alert-channel", definition, nowMs: t0 },
    checks.map((check) => ({ target: { checkUuid: check.uuid }, activated: true })),
    Number.POSITIVE_INFINITY,
  );
}
