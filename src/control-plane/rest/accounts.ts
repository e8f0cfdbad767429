import {
  type Account,
  type AccountUpdate,
  createAccount,
  deleteAccount,
  getAccount,
  getAccountOfClient,
  getOwnAccount,
  getOwnUser,
  getOwnUserAtLogin,
  listAccounts,
  listAccountsOfClient,
  updateOwnAccount,
} from "#contract/accounts.ts";
import { type AlertSettings, defaultAlertSettings } from "#contract/checks/alert-settings.ts";
import { AppError } from "#domain/app-error.ts";
import { timeZoneNamed } from "#domain/time-range.ts";
import { firstAccount, createAccount as makeAccount, type SetupContext } from "../accounts/setup.ts";
import { type AccountCaller, type Handler, handler } from "../http/handler.ts";
import { accountTimeZone } from "../kinds/account-time-zone.ts";
import { shownAnalysisSettings } from "../kinds/analysis-settings.ts";
import { notFound } from "../kinds/not-found.ts";
import { signInRules } from "../kinds/sign-in-rules.ts";
import type { AccountChange, AccountRow, SignInMethod } from "../storage/storage.ts";
import { accountRuleTexts as texts } from "../texts/second-factor.ts";

export interface AccountDeps extends SetupContext {
  readonly forgetKey: (hash: string) => void;
  /** People may sign in with a provider. */
  readonly hasProvider: boolean;
}

/** Read from the store: the caller's may be seconds old. */
export function accountHandlers(deps: AccountDeps): readonly Handler[] {
  const { hasProvider } = deps;
  const { accounts } = deps.storage;
  return [
    ...operatorHandlers(deps),
    ...[listAccounts, listAccountsOfClient].map((operation) =>
      handler(operation, async (_input, { caller: { accountId } }) => {
        const own = await accounts.byId(accountId);
        return own === undefined ? [] : [accountView(own)];
      }),
    ),
    handler(getOwnAccount, async (_input, { caller: { account } }) => accountView((await accounts.byId(account.id)) ?? account)),
    ...[getAccount, getAccountOfClient].map((operation) =>
      handler(operation, async ({ params: { accountId } }, { caller: { account } }) => {
        if (account.uuid !== accountId.toLowerCase()) throw notFound("account", accountId);
        return accountView((await accounts.byId(account.id)) ?? account);
      }),
    ),
    ...[getOwnUser, getOwnUserAtLogin].map((operation) =>
      handler(operation, async (_input, { caller: { actor } }) =>
        "userId" in actor
          ? { id: actor.userId, name: actor.userName, nickname: null }
          : { id: actor.keyId, name: `API key ${actor.maskedKey}`, nickname: null },
      ),
    ),
    handler(updateOwnAccount, async ({ body }, { caller: { account, method } }) => {
      refuseLockOut(body, method, hasProvider);
      const after = await accounts.update(account.id, (before) => changeOf(before, body));
      if (after === undefined) throw notFound("account", account.uuid);
      return accountView(after);
    }),
  ];
}

function operatorHandlers({ forgetKey, ...context }: AccountDeps): readonly Handler[] {
  const { accounts } = context.storage;
  return [
    handler(createAccount, async ({ body }, { caller }) => {
      if (!(await isOperator(context, caller))) throw new AppError("forbidden", "Only an OWNER of the first account may make accounts");
      const { account, rawKey } = await makeAccount(context, body.name);
      return { ...accountView(account), rawKey };
    }),
    handler(deleteAccount, async ({ params: { accountId } }, { caller }) => {
      const account = await accounts.byUuid(accountId.toLowerCase());
      const isOwn = account?.id === caller.account.id;
      if (account === undefined || !(isOwn || (await isOperator(context, caller)))) throw notFound("account", accountId);
      if (!isOwner(caller)) throw new AppError("forbidden", "Only an OWNER, by a key without limits, may delete the account");
      if (account.id === (await firstAccount(context.storage))?.id)
        throw new AppError("conflict", "The first account runs the installation; it cannot be deleted");
      const hashes = await accounts.remove(account.id, context.nowMs());
      hashes?.forEach(forgetKey);
      return undefined;
    }),
  ];
}

/** A key with limits does less than its role says. */
function isOwner({ role, isLimited }: AccountCaller): boolean {
  return role === "OWNER" && !isLimited;
}

/** OWNERs of the first account operate the installation. */
async function isOperator({ storage }: Pick<AccountDeps, "storage">, caller: AccountCaller): Promise<boolean> {
  return isOwner(caller) && caller.account.id === (await firstAccount(storage))?.id;
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
    settings: { timeZone: accountTimeZone(account), ...signInRules(account), ...shownAnalysisSettings(account) },
    alertSettings: alertSettingsOf(account),
  };
}
