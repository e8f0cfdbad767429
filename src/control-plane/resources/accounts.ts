import { type Account, type AccountUpdate, getAccount, getOwnAccount, listAccounts, updateOwnAccount } from "#contract/accounts.ts";
import { type AlertSettings, defaultAlertSettings } from "#contract/checks/alert-settings.ts";
import { AppError } from "#domain/app-error.ts";
import { timeZoneNamed } from "#domain/time-range.ts";
import { type Handler, handler } from "../http/handler.ts";
import type { AccountChange, AccountRow, AccountStore, SignInMethod } from "../storage/storage.ts";
import { accountRuleTexts as texts } from "../texts/second-factor.ts";
import { accountTimeZone } from "./account-time-zone.ts";
import { notFound } from "./not-found.ts";
import { signInRules } from "./sign-in-rules.ts";

/** Read from the store: the caller's may be seconds old. */
export function accountHandlers(accounts: Pick<AccountStore, "byId" | "update">, hasProvider: boolean): readonly Handler[] {
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
    handler(updateOwnAccount, async ({ body }, { caller: { account, method } }) => {
      refuseLockOut(body, method, hasProvider);
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
    ...(settings !== undefined && { settings: { ...before.settings, ...settingsOf(settings) } }),
    ...(alertSettings !== undefined && { alertSettings: withChanges(alertSettingsOf(before), alertSettings) }),
  };
}

function settingsOf({ timeZone, ...rules }: NonNullable<AccountUpdate["settings"]>): Readonly<Record<string, unknown>> {
  return timeZone === undefined ? rules : { ...rules, timeZone: knownTimeZone(timeZone) };
}

/**
 * Nobody asks of others what he has not shown himself. A key can take back what it asks for, so nobody is locked out by it.
 *
 * @throws {AppError} invalid_input, conflict
 */
function refuseLockOut({ settings }: AccountUpdate, method: SignInMethod, hasProvider: boolean): void {
  if (settings?.signIn === "provider" && !hasProvider)
    throw new AppError("invalid_input", `"settings.signIn" must be "any" as long as there is no OIDC_ISSUER, received "provider"`);
  if (settings?.signIn === "provider" && method !== "provider" && method !== "key") throw new AppError("conflict", texts.notByProvider);
  if (settings?.secondFactor === "required" && method === "password") throw new AppError("conflict", texts.noSecondFactor);
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
    settings: { timeZone: accountTimeZone(account), ...signInRules(account) },
    alertSettings: alertSettingsOf(account),
  };
}
