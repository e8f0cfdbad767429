import { randomUUID } from "node:crypto";
import type { AttemptReport } from "#contract/agent-protocol.ts";
import { sessionOfJob } from "../../../src/control-plane/storage/numbers.ts";
import type {
  AccountRow,
  AgentSessionRow,
  CheckRow,
  DeliveryRecord,
  DocumentRow,
  LocationRow,
  Storage,
} from "../../../src/control-plane/storage/storage.ts";
import { wantsAlert } from "../../../src/domain/alerting/channel-switches.ts";
import { account, agent, check, definition, lease, location, minutely, report, start, t0 } from "./fixture.ts";

export const minute = 60_000;
/** When everything is due. */
const far = t0 + 365 * 24 * 60 * minute;
const failed = { hasFailures: true, statusCode: 500, errorMessage: "status 500 is not 200", responseTimeMs: 42.4 };
const outcomes = { P: {}, D: { isDegraded: true, errorMessage: "too slow" }, F: failed, S: { ...failed, agentSide: true } } as const;
export type Outcome = keyof typeof outcomes;

/** A store with an account, two locations with an agent each, and what is needed to run checks there. */
export class AlertScene {
  readonly storage: Storage;
  readonly owner: AccountRow;
  readonly places: readonly LocationRow[];
  readonly agents: readonly AgentSessionRow[];

  private constructor(storage: Storage, owner: AccountRow, places: readonly LocationRow[], agents: readonly AgentSessionRow[]) {
    this.storage = storage;
    this.owner = owner;
    this.places = places;
    this.agents = agents;
  }

  static async open(storage: Storage): Promise<AlertScene> {
    const owner = await account(storage);
    const places = [await location(storage, owner.id, "berlin"), await location(storage, owner.id, "paris")];
    const agents = [];
    for (const place of places) agents.push(await agent(storage, place));
    return new AlertScene(storage, owner, places, agents);
  }

  /** At the first of its locations unless `places` says otherwise. */
  check(settings: Record<string, unknown> = {}, places = [0]): Promise<CheckRow> {
    return check(this.storage, this.owner.id, this.#ids(places), settings);
  }

  /** What a client's PUT comes to. */
  async change(of: CheckRow, settings: Record<string, unknown>, places = [0]): Promise<void> {
    const changed = { definition: definition(settings), locationIds: this.#ids(places), schedule: minutely, nowMs: t0 };
    await this.storage.checks.update(this.owner.id, of.uuid, changed);
  }

  /** One run that starts at this minute; what its agent reports, to be ingested by whoever likes. */
  async run(of: CheckRow, atMinute: number, outcome: Outcome, place = 0): Promise<AttemptReport> {
    const runAtMs = t0 + atMinute * minute;
    const by = this.agents[place];
    if (!by) throw new Error("no such place");
    const session = await start(this.storage, of, [by.locationId], runAtMs);
    const job = (await lease(this.storage, by, runAtMs, 1_000)).find(({ no }) => sessionOfJob(no) === session.no);
    if (!job) throw new Error(`no job of session ${session.no}`);
    return report(job, outcomes[outcome]);
  }

  /** @param toMinute when it is stored, a second later */
  ingest(reports: readonly AttemptReport[], toMinute: number, place = 0, storage = this.storage) {
    const by = this.agents[place];
    if (!by) throw new Error("no such place");
    return storage.results.ingest(by, reports, t0 + toMinute * minute + 1_000);
  }

  /** Runs one a minute, from a word such as `PFFP`. */
  async runs(of: CheckRow, word: string, fromMinute = 0, place = 0): Promise<void> {
    for (const [index, outcome] of word.split("").entries()) {
      await this.ingest([await this.run(of, fromMinute + index, outcome as Outcome, place)], fromMinute + index, place);
    }
  }

  /** A run that passes and is shown a certificate with so many days left. */
  async seen(of: CheckRow, atMinute: number, daysUntilExpiry: number, fingerprint256 = "AB:CD"): Promise<AttemptReport> {
    const detail = { response: { serverName: "shop.example", certificate: { fingerprint256, daysUntilExpiry } } };
    return { ...(await this.run(of, atMinute, "P")), detail };
  }

  async sees(...seen: Parameters<AlertScene["seen"]>): Promise<void> {
    const [, atMinute] = seen;
    await this.ingest([await this.seen(...seen)], atMinute);
  }

  tick(atMinute: number, storage = this.storage): Promise<number> {
    return storage.alertStates.tick(t0 + atMinute * minute, 100);
  }

  /** Oldest first. */
  async alerts(of?: CheckRow) {
    const filter = { page: 1, limit: 1_000, ...(of !== undefined && { checkId: of.id }) };
    return (await this.storage.checkAlerts.list(this.owner.id, filter)).items.toReversed();
  }

  async types(of?: CheckRow): Promise<readonly string[]> {
    return (await this.alerts(of)).map(({ alertType }) => alertType);
  }

  /** A webhook that hears of failures, degradations and recoveries of these checks, unless `changes` says otherwise. */
  channel(checks: readonly CheckRow[], changes: object = {}): Promise<DocumentRow<object>> {
    const switches = { sendFailure: true, sendDegraded: true, sendRecovery: true, sslExpiry: false };
    const definition: object = { type: "WEBHOOK", config: {}, ...switches, ...changes };
    return this.storage.alertSubscriptions.createChannel(
      { uuid: randomUUID(), accountId: this.owner.id, kind: "alert-channel", definition, nowMs: t0 },
      checks.map((check) => ({ target: { checkUuid: check.uuid }, activated: true })),
      1_000,
    );
  }

  /** Tells every channel what waits for it, as the notifier does. @returns by channel, ascending */
  async told(record: Partial<Pick<DeliveryRecord, "status" | "config" | "sentAtMs">> = {}, storage = this.storage) {
    const { alertDeliveries } = storage;
    await alertDeliveries.expand(far, { alerts: 100, deliveries: 10_000 }, wantsAlert);
    const told = [];
    for (const { channelId } of (await alertDeliveries.waiting(far)).toSorted((a, b) => a.channelId - b.channelId)) {
      const claimed = await alertDeliveries.claim(channelId, 100, far, far + 1);
      if (claimed === undefined) continue;
      const { deliveryId } = claimed;
      const { alerts, notices } = await alertDeliveries.told(channelId, deliveryId);
      const sent = { accountId: this.owner.id, channelId, channelType: "WEBHOOK", config: {}, status: "SUCCESS", result: "200" } as const;
      const ofAlerts = alerts.map(({ id }) => ({ id, checkResultId: "r" }));
      await alertDeliveries.settle(deliveryId, { ...sent, sentAtMs: alerts[0]?.createdAtMs ?? far, alerts: ofAlerts, ...record }, null);
      told.push({ channelId, alerts, notices });
    }
    return told;
  }

  async heartbeat(): Promise<CheckRow> {
    return this.storage.checks.create({
      uuid: randomUUID(),
      accountId: this.owner.id,
      type: "HEARTBEAT",
      definition: definition(),
      locationIds: [],
      schedule: { periodMs: 0, phaseMs: 0, nextDueMs: null },
      heartbeat: { token: { hash: randomUUID(), open: null }, periodMs: 10 * minute, graceMs: minute },
      nowMs: t0,
    });
  }

  #ids(places: readonly number[]): readonly number[] {
    return places.flatMap((place) => this.places[place]?.id ?? []);
  }
}

/** Alert settings of a check's own. */
export function ownAlerts(settings: object): Record<string, unknown> {
  return { useGlobalAlertSettings: false, alertSettings: settings };
}
