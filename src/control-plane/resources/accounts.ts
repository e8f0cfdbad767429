import { type Account, getAccount, getOwnAccount, listAccounts } from "#contract/accounts.ts";
import { type Handler, handler } from "../http/handler.ts";
import type { AccountRow, AccountStore } from "../storage/storage.ts";
import { notFound } from "./not-found.ts";

/** A service key sees its own account; a user key all of this installation. */
export function accountHandlers(accounts: Pick<AccountStore, "list">): readonly Handler[] {
  return [
    handler(listAccounts, async (_input, { caller: { key } }) => {
      const all = await accounts.list();
      return all.filter(({ id }) => key.accountId === null || id === key.accountId).map(accountView);
    }),
    handler(getOwnAccount, async (_input, { caller }) => accountView(caller.account)),
    handler(getAccount, async ({ params: { accountId } }, { caller }) => {
      if (caller.account.uuid !== accountId.toLowerCase()) throw notFound("account", accountId);
      return accountView(caller.account);
    }),
  ];
}

function accountView({ uuid, name, runtimeId, settings, alertSettings }: AccountRow): Account {
  const plan = { plan: "self-hosted", planDisplayName: "Self-hosted", addons: {}, features: [] };
  return { id: uuid, name, runtimeId, ...plan, settings: { ...settings }, alertSettings: { ...alertSettings } };
}
