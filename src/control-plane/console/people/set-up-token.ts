import { firstAccount } from "../../accounts/setup.ts";
import type { Storage } from "../../storage/storage.ts";

interface SetUpDeps {
  readonly storage: Pick<Storage, "accounts" | "members">;
  readonly hashOf: (secret: string) => string;
}

/** Logs are kept, sent on and read by many: for so long after the account was made the address stands in them. */
const loggedMs = 3_600_000;

/** Shows that its bearer reads the log, or may run commands. The same in every process, and good for nothing once there is an OWNER. */
export function setUpToken(hashOf: (secret: string) => string, accountUuid: string): string {
  return hashOf(`set-up:${accountUuid}`).slice(0, 40);
}

/** Where the first OWNER is made, and whether a log may still have it; null when there is one. */
export async function setUpAddress(
  { storage, hashOf }: SetUpDeps,
  baseUrl: string,
  nowMs: number,
): Promise<{ readonly address: string; readonly isForLogs: boolean } | null> {
  const account = await firstAccount(storage);
  if (account === undefined || (await storage.members.hasOwner(account.id))) return null;
  return {
    address: `${baseUrl}/set-up?token=${setUpToken(hashOf, account.uuid)}`,
    isForLogs: nowMs - account.createdAtMs < loggedMs,
  };
}
