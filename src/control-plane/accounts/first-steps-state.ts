import type { AccountRow, AccountStore } from "../storage/storage.ts";

/*
 * What an account keeps of its first steps, in its settings: clients do not see it. A message that arrived as a test is stored nowhere else.
 */

export interface FirstStepsState {
  /** Null: they are still shown. */
  readonly over: "done" | "dismissed" | null;
  readonly hasTestedChannel: boolean;
}

export function firstStepsState({ settings }: Pick<AccountRow, "settings">): FirstStepsState {
  const over = settings["firstSteps"];
  return { over: over === "done" || over === "dismissed" ? over : null, hasTestedChannel: settings["testedChannel"] === true };
}

/** Nothing is written where it is so already. */
export async function keepTestedChannel(accounts: Pick<AccountStore, "update">, account: AccountRow): Promise<void> {
  if (firstStepsState(account).hasTestedChannel) return;
  await accounts.update(account.id, ({ settings }) => ({ settings: { ...settings, testedChannel: true } }));
}

export async function endFirstSteps(
  accounts: Pick<AccountStore, "update">,
  account: AccountRow,
  over: "done" | "dismissed",
): Promise<void> {
  await accounts.update(account.id, ({ settings }) => ({ settings: { ...settings, firstSteps: over } }));
}
