import type { ChannelSwitches } from "#domain/alerting/channel-switches.ts";
import { type LocationNotice, maxNames } from "#domain/alerting/notice-message.ts";
import { type Notice, nextSilence, notSilent, type SilenceState } from "#domain/alerting/silence.ts";
import { heldUntilMs } from "#domain/maintenance-effects.ts";
import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import type { SilenceStore } from "../../silence-store.ts";
import { alertingChecks } from "./alerting-checks.ts";
import { type RunningCheck, runningChecks, seenAt } from "./running-checks.ts";
import { keptChannels, subscribers } from "./subscribers.ts";
import { wakeAlerts } from "./wake-alerts.ts";

/** Kept by location. */
interface StoredSilence {
  readonly silence: SilenceState;
  /** Channels that were told that its agents are silent: they are told when these are back. */
  readonly told: readonly number[];
}

const nothingTold: StoredSilence = { silence: notSilent, told: [] };

export function silenceStore(engine: Engine): SilenceStore {
  return {
    async look(nowMs, upSinceMs) {
      // Not in the transaction: it would hold up whoever writes.
      const checks = await runningChecks(engine, engine.reads, nowMs, upSinceMs);
      return engine.transaction((trx) => look(engine, trx, checks, nowMs, upSinceMs));
    },
  };
}

/** Checks of which nobody hears, as it was told: all about them rests on what was known before. */
export interface Unheard {
  readonly locations: ReadonlySet<number>;
  readonly checks: ReadonlySet<number>;
}

export async function unheard(trx: Trx): Promise<Unheard> {
  const rows = await trx.selectFrom("location_silences").selectAll().execute();
  const states = rows.map((row) => ({ id: row.location_id, silence: storedOf(row.state).silence }));
  const locations = states.filter(({ silence }) => silence.silentSinceMs !== null).map(({ id }) => id);
  return { locations: new Set(locations), checks: new Set(states.flatMap(({ silence }) => silence.withoutData)) };
}

function storedOf(state: string): StoredSilence {
  return JSON.parse(state) as StoredSilence;
}

async function look(engine: Engine, trx: Trx, checks: readonly RunningCheck[], nowMs: number, upSinceMs: number): Promise<number> {
  const live = trx.selectFrom("locations").select(["id", "code", "name", "last_seen_at"]).where("removed_at", "is", null);
  const locations = await live.orderBy("id").execute();
  const known = new Set(locations.map(({ id }) => id));
  // One process looks at a location at a time.
  const old = new Set((await trx.selectFrom("location_silences").select("location_id").execute()).map((row) => row.location_id));
  const missing = locations.filter(({ id }) => !old.has(id)).map(({ id }) => [id, JSON.stringify(nothingTold)]);
  await engine.insertMany(trx, "location_silences", { location_id: "int8", state: "text" }, missing, "on conflict do nothing");
  // Of a location that is gone, or its checks were without data for ever.
  const left = [...old].filter((id) => !known.has(id));
  if (left.length > 0) await trx.deleteFrom("location_silences").where(engine.isAny("location_id", left)).execute();
  const rows = await engine.skipLocked(trx.selectFrom("location_silences").selectAll().orderBy("location_id")).execute();
  const states = new Map(rows.map((row) => [row.location_id, storedOf(row.state)]));
  const byLocation = Map.groupBy(
    checks.flatMap((check) => check.locationIds.map((id) => ({ id, check }))),
    ({ id }) => id,
  );
  let written = 0;
  for (const location of locations) {
    const before = states.get(location.id);
    if (before === undefined) continue;
    const here = (byLocation.get(location.id) ?? []).map(({ check }) => check);
    const seen = seenAt(location, here, before.silence, { nowMs, upSinceMs });
    const { state: silence, notices } = nextSilence(before.silence, seen, nowMs);
    let { told } = before;
    for (const notice of notices) {
      const channels = await noticesOf(engine, trx, notice, { location, here, told, nowMs });
      written += await writeNotices(engine, trx, channels, nowMs);
      await wakeAlerts(engine, trx, { checkIds: notice.kind === "AGENTS_BACK" ? here.map(({ id }) => id) : notice.checkIds });
      if (notice.kind === "AGENTS_SILENT") told = channels.map(({ channelId }) => channelId);
    }
    const state = JSON.stringify({ silence, told });
    if (state !== JSON.stringify(before))
      await trx.updateTable("location_silences").set({ state }).where("location_id", "=", location.id).execute();
  }
  return written;
}

interface NewNotice {
  readonly accountId: number;
  readonly channelId: number;
  readonly notice: LocationNotice;
}

interface Surroundings {
  readonly location: LocationNotice["location"];
  readonly here: readonly RunningCheck[];
  readonly told: readonly number[];
  readonly nowMs: number;
}

/** One for each channel that follows a check concerned. Checks that are muted or silenced by maintenance tell nobody. */
async function noticesOf(
  engine: Engine,
  trx: Trx,
  notice: Notice,
  { location, here, told, nowMs }: Surroundings,
): Promise<readonly NewNotice[]> {
  const concerned = notice.kind === "AGENTS_BACK" ? here : here.filter(({ id }) => notice.checkIds.includes(id));
  const ids = concerned.map(({ id }) => id);
  const known = await alertingChecks(engine, trx, ids, { fromMs: nowMs, toMs: nowMs });
  const subscribed = await subscribers(
    engine,
    trx,
    concerned.map((check) => ({ check_id: check.id, group_id: check.groupId })),
  );
  const wants = ({ sendFailure, sendRecovery }: ChannelSwitches): boolean =>
    notice.kind === "AGENTS_SILENT" || notice.kind === "NO_DATA" ? sendFailure : sendRecovery;
  const followed = concerned.flatMap((check) => {
    const one = known.get(check.id);
    if (one === undefined || one.alerting.muted || heldUntilMs(one.silences, one.tags, nowMs) !== null) return [];
    const channels = [...subscribed(check.id, check.groupId)].filter(([, switches]) => wants(switches));
    return channels.map(([channelId]) => ({ channelId, accountId: one.accountId, name: one.name }));
  });
  const byChannel = [...Map.groupBy(followed, ({ channelId }) => channelId)];
  return byChannel
    .filter(([channelId]) => notice.kind !== "AGENTS_BACK" || told.includes(channelId))
    .map(([channelId, all]) => ({
      accountId: all[0]?.accountId ?? 0,
      channelId,
      notice: {
        kind: notice.kind,
        sinceMs: notice.sinceMs,
        atMs: nowMs,
        location: { code: location.code, name: location.name },
        checks: all.slice(0, maxNames).map(({ name }) => name),
        checkCount: all.length,
      },
    }));
}

async function writeNotices(engine: Engine, trx: Trx, notices: readonly NewNotice[], nowMs: number): Promise<number> {
  const columns = {
    account_id: "int8",
    channel_id: "int8",
    notice: "text",
    created_at: "int8",
    delivery: "text",
    due_at: "int8",
    attempts: "int8",
    claimed_until_ms: "int8",
    since_ms: "int8",
  } as const;
  const waitMs = engine.clock.waitMs(nowMs);
  const kept = await keptChannels(engine, trx, notices);
  const rows = notices
    .filter(({ channelId }) => kept.has(channelId))
    .map((one) => [one.accountId, one.channelId, JSON.stringify(one.notice), nowMs, crypto.randomUUID(), waitMs, 0, 0, waitMs]);
  await engine.insertMany(trx, "alert_deliveries", columns, rows);
  return rows.length;
}
