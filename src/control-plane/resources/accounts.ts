import { type Account, type AccountUpdate, getAccount, getOwnAccount, listAccounts, updateOwnAccount } from "#contract/accounts.ts";
import { type AlertSettings, defaultAlertSettings } from "#contract/checks/alert-settings.ts";
import { AppError } from "#domain/app-error.ts";
import { timeZoneNamed } from "#domain/time-range.ts";
import { type Handler, handler } from "../http/handler.ts";
import type { AccountChange, AccountRow, AccountStore } from "../storage/storage.ts";
import { accountTimeZone } from "./account-time-zone.ts";
import { notFound } from "./not-found.ts";

/** Read from the store: the caller's may be seconds old. */
export function accountHandlers(accounts: Pick<AccountStore, "byId" | "update">): readonly Handler[] {
  return [
    handler(listAccounts, async (_input, { caller: { accountId } }) => {
      const own = await accounts.byId(accountId);
      return own === undefined ? [] : [accountView(own)];
    }),
    handler(getOwnAccount, async (_input, { caller: { account } }) => accountView((await accounts.byId(account.id)) ?? account)),
    handler(getAccount, async ({ params: { accountId } }, { caller: { account } }) => {
      if (account.uuid !== accountId.toLowerCase()) throw notFound("account", accountId);
      return accountView((await accounts.byId(account.id)) ?? account);
    }),
    handler(updateOwnAccount, async ({ body }, { caller: { account } }) => {
      const after = await accounts.update(account.id, (before) => changeOf(before, body));
      if (after === undefined) throw notFound("account", account.uuid);
      return accountView(after);
    }),
  ];
}

/** @throws {AppError} invalid_input */
function changeOf(before: AccountRow, { name, runtimeId, settings, alertSettings }: AccountUpdate): AccountChange {
  return {
    ...(name !== undefined && { name }),
    ...(runtimeId !== undefined && { runtimeId }),
    ...(settings?.timeZone !== undefined && { settings: { ...before.settings, timeZone: knownTimeZone(settings.timeZone) } }),
    ...(alertSettings !== undefined && { alertSettings: withChanges(alertSettingsOf(before), alertSettings) }),
  };
}

function knownTimeZone(given: string): string {
  const name = timeZoneNamed(given);
  if (name !== null) return name;
  throw new AppError(
    "invalid_input",
    `"settings.timeZone" must be the name of an IANA time zone such as Europe/Berlin, received ${JSON.stringify(given)}`,
  );
}

/** The objects inside are merged too; they are one level deep. */
function withChanges(before: AlertSettings, change: NonNullable<AccountUpdate["alertSettings"]>): Readonly<Record<string, unknown>> {
  const inside: Readonly<Record<string, unknown>> = before;
  const changed = Object.entries(change).map(([name, value]) => [
    name,
    typeof value === "object" ? { ...(inside[name] as object | undefined), ...value } : value,
  ]);
  return { ...before, ...Object.fromEntries(changed) };
}

/** Written by the schema; an account that never chose has the defaults. */
function alertSettingsOf({ alertSettings }: AccountRow): AlertSettings {
  return { ...defaultAlertSettings, ...alertSettings };
}

function accountView(account: AccountRow): Account {
  const { uuid, name, runtimeId } = account;
  const plan = { plan: "self-hosted", planDisplayName: "Self-hosted", addons: {}, features: [] };
  return {
    id: uuid,
    name,
    runtimeId,
    ...plan,
    settings: { timeZone: accountTimeZone(account) },
    alertSettings: alertSettingsOf(account),
  };
}
