import type { Engine } from "../../engine.ts";

/** Deletes alerts from before, with what was told of them. What a channel is still to be told stays. @returns how many */
export async function deleteAlerts(engine: Engine, olderThanMs: number, limit: number): Promise<number> {
  const { db, reads } = engine;
  const old = await reads
    .selectFrom("check_alerts")
    .select("id")
    .where("created_at", "<", olderThanMs)
    .where((eb) => eb.not(eb.exists(eb.selectFrom("alert_outbox").select("alert_id").whereRef("alert_id", "=", "check_alerts.id"))))
    .where((eb) => eb.not(eb.exists(eb.selectFrom("alert_deliveries").select("alert_id").whereRef("alert_id", "=", "check_alerts.id"))))
    .orderBy("created_at")
    .limit(limit)
    .execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) await db.deleteFrom("check_alerts").where(engine.isAny("id", ids)).execute();
  return ids.length;
}

/** Deletes episodes that ended before, with what people did with them. @returns how many */
export async function deleteEpisodes(engine: Engine, olderThanMs: number, limit: number): Promise<number> {
  const ended = engine.reads.selectFrom("alert_episodes").select("id").where("closed_at", "<", olderThanMs);
  const ids = (await ended.orderBy("closed_at").limit(limit).execute()).map(({ id }) => id);
  if (ids.length > 0) await engine.db.deleteFrom("alert_episodes").where(engine.isAny("id", ids)).execute();
  return ids.length;
}

/** Deletes what was sent of locations before. @returns how many */
export async function deleteNotices(engine: Engine, olderThanMs: number, limit: number): Promise<number> {
  const sent = engine.reads.selectFrom("alert_notifications").select("id").where("check_alert_id", "is", null);
  const old = await sent.where("sent_at", "<", olderThanMs).orderBy("sent_at").limit(limit).execute();
  // Few, as each took a day of tries.
  await engine.db.deleteFrom("given_up_alerts").where("alert_id", "is", null).where("given_up_at", "<", olderThanMs).execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) await engine.db.deleteFrom("alert_notifications").where(engine.isAny("id", ids)).execute();
  return ids.length;
}

/** Forgets who was told of certificates that nobody saw since. @returns how many */
export async function forgetCertificates({ db, reads }: Engine, notSeenSinceMs: number, limit: number): Promise<number> {
  const old = await reads
    .selectFrom("certificate_notices")
    .select(["channel_id", "fingerprint", "threshold"])
    .where("seen_at", "<", notSeenSinceMs)
    .orderBy("seen_at")
    .limit(limit)
    .execute();
  for (const { channel_id: channelId, fingerprint, threshold } of old)
    await db
      .deleteFrom("certificate_notices")
      .where("channel_id", "=", channelId)
      .where("fingerprint", "=", fingerprint)
      .where("threshold", "=", threshold)
      // Seen again in this moment, it stays.
      .where("seen_at", "<", notSeenSinceMs)
      .execute();
  return old.length;
}
