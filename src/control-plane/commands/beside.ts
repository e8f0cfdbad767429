import { ConfigError, type Env } from "#daemon/env.ts";
import { AppError } from "#domain/app-error.ts";
import { firstAccount, type SetupContext } from "../accounts/setup.ts";
import { readControlPlaneConfig } from "../config.ts";
import { openStore } from "../open-store.ts";
import type { AccountRow } from "../storage/storage.ts";

/**
 * One short piece of work on the store by the settings, also beside a control plane that runs on it.
 *
 * @throws {ConfigError} also for what the store refused
 */
export async function besideControlPlane<T>(env: Env, work: (context: SetupContext) => Promise<T>, takesPepper = false): Promise<T> {
  const { storage, hashOf } = await openStore(readControlPlaneConfig(env), { nowMs: Date.now(), besideOthers: true, takesPepper });
  try {
    return await told(() => work({ storage, hashOf, nowMs: Date.now }));
  } finally {
    await storage.close();
  }
}

/** @throws {ConfigError} for what the store refused, which is for the operator to put right */
export async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof AppError) throw new ConfigError(cause.message, { cause });
    throw cause;
  }
}

/** @throws {ConfigError} when no control plane ran on this store yet */
export async function theAccount({ storage }: Pick<SetupContext, "storage">): Promise<AccountRow> {
  const account = await firstAccount(storage);
  if (account !== undefined) return account;
  throw new ConfigError(
    "This store has no account yet: start the control plane on it once (outpost control-plane), which makes the account and its first key",
  );
}

/** Writes what the command line did to the audit log of the account that the command line is about. */
export async function auditCommand(
  { storage, nowMs }: SetupContext,
  { operation, resourceId }: { readonly operation: string; readonly resourceId: string },
): Promise<void> {
  const { id: accountId } = await theAccount({ storage });
  await storage.audit.append({ accountId, atMs: nowMs(), operation, resourceId, fields: [], actor: null, request: null });
}
