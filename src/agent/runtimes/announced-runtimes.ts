import { type RuntimeId, runtimeCatalog } from "#contract/runtime-catalog.ts";
import type { Logger } from "#daemon/logger.ts";
import { isPastEndOfLife, lastDay } from "./end-of-life.ts";
import { findRuntimes } from "./find-runtimes.ts";

/** The runtimes that an agent may promise: those that work here. It warns of the broken ones, and of those past their end of life. */
export async function announcedRuntimes(folder: string, log: Pick<Logger, "warn">, nowMs: number): Promise<readonly RuntimeId[]> {
  const { installed, broken } = await findRuntimes(folder);
  for (const { id, because } of broken) {
    log.warn({ runtime: id, because, folder }, "a runtime is broken and not announced; install it again: outpost runtime install");
  }
  for (const runtime of runtimeCatalog) {
    if (!isPastEndOfLife(runtime, nowMs) || !installed.some(({ id }) => id === runtime.name)) continue;
    log.warn({ runtime: runtime.name, endOfLife: lastDay(runtime) }, "a runtime is past its end of life and gets no security fixes");
  }
  return installed.map(({ id }) => id);
}
