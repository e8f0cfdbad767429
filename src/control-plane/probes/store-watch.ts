import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import type { MarkStore, Storage } from "../storage/storage.ts";
import type { Works } from "./works.ts";

interface StoreWatchDeps extends Pick<Storage, "findDamage" | "isLookedThrough"> {
  readonly marks: Pick<MarkStore, "replace">;
  readonly works: Works;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly log: Logger;
}

const writeEveryMs = 5_000;
const lookEveryMs = 24 * 60 * 60_000;

/** Writes every few seconds, as only a write shows that writing works, and reads the whole database once a day. */
export function storeWatch({ marks, findDamage, isLookedThrough, works, nowMs, monotonicMs, log }: StoreWatchDeps): readonly Service[] {
  const writing = works.reportOf("writing");

  async function write(): Promise<number> {
    const beganMs = monotonicMs();
    await marks.replace("written at", new Date(nowMs()).toISOString());
    writing.worked(Math.round(monotonicMs() - beganMs));
    return writeEveryMs;
  }

  let isFresh = isLookedThrough;
  async function look(signal: AbortSignal): Promise<number> {
    if (isFresh) {
      isFresh = false;
      return lookEveryMs;
    }
    const damage = await findDamage(signal);
    if (damage !== null) works.giveUp("reading", damage);
    return lookEveryMs;
  }

  return [
    loop("writes to the store", write, (error) => {
      writing.failed(error);
      return writeEveryMs;
    }),
    loop("damage of the store", look, (error) => {
      log.warn({ err: error }, "could not check the database for damage; retrying in an hour");
      return 60 * 60_000;
    }),
  ];
}
