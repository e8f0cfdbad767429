import { sql } from "kysely";
import { browserOfCode } from "#contract/agent-baselines.ts";
import { AppError } from "#domain/app-error.ts";
import type { Engine } from "../engine.ts";
import type { Tables, Trx } from "../schema.ts";
import type { BaselineAccess, BaselineName, BaselineRoom, BaselineStore } from "../storage.ts";
import { codePictures, keepCodePicture } from "./code-pictures.ts";
import { heldJob, noJob } from "./held-job.ts";

export function baselineStore(engine: Engine): BaselineStore {
  const { reads, db } = engine;
  return {
    async list(of) {
      const job = await heldJob(reads, of);
      const { pictures, isCodeNamed, isUpdate } = await codePictures(engine, job);
      if (isUpdate) return { baselines: [], isCodeNamed };
      const kept = await reads
        .selectFrom("screenshot_baselines")
        .select(["browser", "name", "written_at as writtenAt"])
        .where("check_id", "=", job.check_id)
        .orderBy("browser")
        .orderBy("name")
        .execute();
      const ofCode = pictures.map(({ name, storedAtMs }) => ({ browser: browserOfCode, name, writtenAt: storedAtMs }));
      return { baselines: [...ofCode, ...kept], isCodeNamed };
    },
    async read(of, { browser, name }) {
      const job = await heldJob(reads, of);
      if (browser === browserOfCode) {
        const found = (await codePictures(engine, job)).pictures.find((one) => one.name === name);
        if (found === undefined) throw new AppError("not_found", "the code of the check has no such picture");
        return (await reads.selectFrom("code_snapshots").select("body").where("id", "=", found.id).executeTakeFirstOrThrow()).body;
      }
      const row = await reads
        .selectFrom("screenshot_baselines")
        .select("body")
        .where("check_id", "=", job.check_id)
        .where("browser", "=", browser)
        .where("name", "=", name)
        .executeTakeFirst();
      if (row === undefined) throw new AppError("not_found", "the check has no such baseline");
      return row.body;
    },
    keep: (of, picture, most, nowMs) => engine.transaction((trx) => keep(engine, trx, of, picture, most, nowMs)),
    async forget(checkIds) {
      if (checkIds.length > 0) await db.deleteFrom("screenshot_baselines").where(engine.isAny("check_id", checkIds)).execute();
    },
  };
}

async function keep(
  engine: Engine,
  trx: Trx,
  of: BaselineAccess,
  { browser, name, body }: BaselineName & { readonly body: Uint8Array },
  most: BaselineRoom,
  nowMs: number,
): Promise<void> {
  const job = await heldJob(trx, of);
  const { check_id, test_session } = job;
  if (test_session !== null) return keepCodePicture(engine, trx, job, { name, body }, nowMs);
  // One after another, so that two agents do not fill the same room.
  const check = await engine.lockRows(trx.selectFrom("checks").select("id").where("id", "=", check_id)).executeTakeFirst();
  if (check === undefined) throw noJob();
  const kept = await trx
    .selectFrom("screenshot_baselines")
    .select([sql<number>`coalesce(sum(size), 0)`.as("bytes"), sql<number>`count(*)`.as("pictures")])
    .where("check_id", "=", check_id)
    .executeTakeFirstOrThrow();
  if (Number(kept.bytes) + body.length > most.bytes || Number(kept.pictures) >= most.pictures)
    throw new AppError("too_large", `a check has at most ${most.pictures} baselines, and they have at most ${most.bytes} bytes together`);
  const row: Tables["screenshot_baselines"] = { check_id, browser, name, size: body.length, written_at: nowMs, body };
  await trx
    .insertInto("screenshot_baselines")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
