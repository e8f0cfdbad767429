import { ConfigError } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";
import type { Logger } from "#daemon/logger.ts";
import type { Secret } from "#daemon/secret.ts";
import { sleep } from "#daemon/sleep.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import { hashKey } from "#domain/key.ts";
import type { ControlPlaneConfig } from "./config.ts";
import { diskFull } from "./keys/own-secret.ts";
import { checkPepper, loadPepper } from "./keys/pepper.ts";
import { isFullDisk } from "./storage/dialects/database-errors.ts";
import { openingProblem } from "./storage/dialects/opening-problem.ts";
import { openStorage, type StorageOptions } from "./storage/open-storage.ts";
import type { Storage } from "./storage/storage.ts";

/** How long a start waits for PostgreSQL: longer than its own restart takes. */
const longestWaitMs = 60_000;
const longestRestMs = 5_000;

export interface OpenOptions extends Pick<StorageOptions, "clocks"> {
  readonly nowMs: number;
  /** For one short write, also while a control plane runs on the same folder. */
  readonly besideOthers?: boolean;
  /** Waits for PostgreSQL, and says so here; without it the first failure counts. */
  readonly log?: Pick<Logger, "warn" | "info">;
  /** The pepper of now counts, and every key made with another one is void. */
  readonly takesPepper?: boolean;
}

/** The store, and what it keeps keys under. */
export interface OpenStore {
  readonly storage: Storage;
  readonly pepper: Secret;
  readonly hashOf: (secret: string) => string;
}

/**
 * The store by the settings, without anything that works on it.
 *
 * @throws {ConfigError} naming what to put right: the folder, the database, the pepper
 */
export async function openStore(config: ControlPlaneConfig, options: OpenOptions): Promise<OpenStore> {
  const pepper = await loadPepper(config);
  const hashOf = (secret: string): string => hashKey(pepper.reveal(), secret);
  const { nowMs, clocks, besideOthers = false, log, takesPepper = false } = options;
  const { dataDir, databaseUrl, synchronous } = config;
  const place = { dataDir, nowMs, clocks, besideOthers, synchronous, ...(databaseUrl !== null && { databaseUrl: databaseUrl.reveal() }) };
  const storage = await explained(config, () => openStorage(place), log);
  try {
    await checkPepper(config, storage.marks, hashOf, takesPepper);
  } catch (error) {
    await storage.close();
    throw error;
  }
  return { storage, pepper, hashOf };
}

/**
 * Opens a store by `open`; where the database does not answer and there is a log, tries for a minute.
 *
 * @throws {ConfigError} with one sentence for what the operator can put right
 */
export async function explained<T>(
  { databaseUrl }: Pick<ControlPlaneConfig, "databaseUrl">,
  open: () => Promise<T>,
  log: OpenOptions["log"],
  waitMs = longestWaitMs,
): Promise<T> {
  const endMs = performance.now() + waitMs;
  for (let failures = 1; ; failures += 1) {
    try {
      const opened = await open();
      if (failures > 1) log?.info({}, "the database answers");
      return opened;
    } catch (cause) {
      const problem = databaseUrl === null ? null : openingProblem(cause, databaseUrl.reveal());
      const restMs = Math.min(longestRestMs, 250 * 2 ** failures);
      const mayWait = log !== undefined && problem !== null && hasCode(cause, "unavailable") && performance.now() + restMs < endMs;
      if (!mayWait) throw asConfigError(cause, problem);
      if (failures === 1) log.warn({ reason: problem, waitSeconds: waitMs / 1000 }, "the database does not respond; retrying");
      await sleep(restMs, never);
    }
  }
}

const never = new AbortController().signal;

function asConfigError(cause: unknown, problem: string | null): unknown {
  if (problem !== null)
    return new ConfigError(problem, { cause, exitCode: hasCode(cause, "unavailable") ? exitCode.away : exitCode.cannotStart });
  if (isFullDisk(cause)) return new ConfigError(diskFull, { cause, exitCode: exitCode.away });
  if (cause instanceof AppError) return new ConfigError(`Cannot open the store (DATA_DIR, DATABASE_URL): ${cause.message}`, { cause });
  return cause;
}
