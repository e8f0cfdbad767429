import { firstAccount } from "../../setup.ts";
import type { Storage } from "../../storage/storage.ts";

/** Shows that its bearer reads the log. The same in every process, and good for nothing once there is an OWNER. */
export function setUpToken(hashOf: (secret: string) => string, accountUuid: string): string {
  return hashOf(`set-up:${accountUuid}`).slice(0, 40);
}

/** Where the first OWNER is made; null when there is one. */
export async function setUpAddress(
  { storage, hashOf }: { readonly storage: Pick<Storage, "accounts" | "members">; readonly hashOf: (secret: string) => string },
  baseUrl: string,
): Promise<string | null> {
  const account = await firstAccount(storage);
  if (account === undefined || (await storage.members.hasOwner(account.id))) return null;
  return `${baseUrl}/set-up?token=${setUpToken(hashOf, account.uuid)}`;
}
