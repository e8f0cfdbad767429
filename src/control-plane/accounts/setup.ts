import { runtimeIds } from "#contract/runtime-catalog.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import { type IssuedKey, issueKey, issueLocationKey, type KeyOwner } from "../keys/issue-key.ts";
import type { AccountRow, LocationRow, Storage } from "../storage/storage.ts";

export interface SetupContext {
  readonly storage: Storage;
  readonly hashOf: (secret: string) => string;
  readonly nowMs: () => number;
}

export interface Setup {
  readonly account: AccountRow;
  /** The service key that was made with the account; null when the account was there already. */
  readonly serviceKey: string | null;
}

/** Makes the account and its first key at the first start. Later, and where another process was first, it only tells the account. */
export async function ensureSetup(context: SetupContext): Promise<Setup> {
  const existing = await firstAccount(context.storage);
  if (existing !== undefined) return { account: existing, serviceKey: null };
  try {
    // Processes that start together try the same id, so one of them makes the account.
    const uuid = await context.storage.marks.keep("account", crypto.randomUUID());
    const account = await context.storage.accounts.create({ uuid, name: "Main", runtimeId: runtimeIds[0], nowMs: context.nowMs() });
    const { rawKey } = await issueServiceKey(context, account, { role: "OWNER", name: "First key" });
    return { account, serviceKey: rawKey };
  } catch (error) {
    if (!hasCode(error, "conflict")) throw error;
    return ensureSetup(context);
  }
}

/** Another account, with a key of its own that may do everything in it. */
export async function createAccount(context: SetupContext, name: string): Promise<IssuedKey & { readonly account: AccountRow }> {
  const fresh = { uuid: crypto.randomUUID(), name, runtimeId: runtimeIds[0], nowMs: context.nowMs() };
  const account = await context.storage.accounts.create(fresh);
  return { account, ...(await issueServiceKey(context, account, { role: "OWNER", name: "First key" })) };
}

/** The account that everything on the command line is about; undefined before the first start of a control plane. */
export async function firstAccount({
  accounts,
}: {
  readonly accounts: Pick<Storage["accounts"], "list">;
}): Promise<AccountRow | undefined> {
  const [first] = await accounts.list();
  return first;
}

/** Another service key of the account, for an operator who lost the first one. */
export function issueServiceKey(
  { storage, hashOf, nowMs }: SetupContext,
  { id }: AccountRow,
  owner: Pick<KeyOwner, "role" | "limits"> & { readonly name: string },
): Promise<IssuedKey> {
  return issueKey({ keys: storage.keys, hashOf, nowMs }, { kind: "service", accountId: id, locationId: null, ...owner });
}

/** The account's private location with this slug, made when it is not there. */
export async function ensurePrivateLocation(
  { storage, nowMs }: SetupContext,
  account: AccountRow,
  { slugName, name }: { readonly slugName: string; readonly name: string },
): Promise<LocationRow> {
  const found = (await storage.locations.list(account.id)).find(({ code }) => code === slugName);
  const fresh = {
    accountId: account.id,
    uuid: crypto.randomUUID(),
    code: slugName,
    name,
    icon: "location",
    proxyUrl: null,
    nowMs: nowMs(),
  };
  return found ?? storage.locations.create(fresh);
}

/**
 * Issues a key for a data center location (by code) or for a private location (by its uuid, or by its slug where only
 * one account has it). The oldest key goes when there are two already and `replaceOldest` is set.
 *
 * @throws {AppError} not_found for an unknown location; conflict when it has two keys
 */
export async function createLocationKey(
  { storage, hashOf, nowMs }: SetupContext,
  codeOrUuid: string,
  { replaceOldest = false }: { readonly replaceOldest?: boolean } = {},
): Promise<IssuedKey & { readonly location: LocationRow }> {
  const location = await findLocation(storage, codeOrUuid);
  const [oldest, second] = (await storage.keys.ofLocation(location.id)).toSorted((a, b) => a.createdAtMs - b.createdAtMs);
  if (replaceOldest && oldest !== undefined && second !== undefined) await storage.keys.remove(location.id, oldest.id);
  return { location, ...(await issueLocationKey({ keys: storage.keys, hashOf, nowMs }, location)) };
}

async function findLocation({ accounts, locations }: Storage, codeOrUuid: string): Promise<LocationRow> {
  const dataCenter = await locations.dataCenter(codeOrUuid);
  if (dataCenter !== undefined) return dataCenter;
  const lists = await Promise.all((await accounts.list()).map(({ id }) => locations.list(id)));
  const found = lists.flat().filter(({ uuid, code }) => uuid === codeOrUuid.toLowerCase() || code === codeOrUuid);
  const [location, another] = found;
  if (location === undefined) throw new AppError("not_found", `There is no location ${codeOrUuid}`);
  if (another !== undefined) throw new AppError("conflict", `Several accounts have a location ${codeOrUuid}; name it by its id`);
  return location;
}
