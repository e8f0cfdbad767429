import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import type { AccountStore } from "../storage/storage.ts";

const batchSize = 2_000;
/** Between batches, so that it never holds up ingest. */
const breathMs = 250;
const idleMs = 60_000;

/** Removes what deleted accounts left, in small batches, and the accounts last. */
export function createAccountSweeper({
  accounts,
  nowMs,
  log,
}: {
  readonly accounts: Pick<AccountStore, "sweep">;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Service {
  const turn = async (): Promise<number> => ((await accounts.sweep(nowMs(), batchSize)) > 0 ? breathMs : idleMs);
  return loop("account sweeper", turn, (error) => {
    log.error({ err: error }, "removing data of deleted accounts failed");
    return 60_000;
  });
}
