import { AppError } from "#domain/app-error.ts";
import { signInRules } from "../../kinds/sign-in-rules.ts";
import type { AccountRow, SignInMethod } from "../../storage/storage.ts";
import { accountRuleTexts as texts } from "../../texts/second-factor.ts";

export type Barred = "secondFactor" | "provider";

/** What the account asks for and a sign-in lacks. Of a provider's sign-ins the provider asks; keys are no people. */
export function barredBy(account: Pick<AccountRow, "settings">, method: SignInMethod): Barred | null {
  if (method === "provider" || method === "key") return null;
  const { secondFactor, signIn } = signInRules(account);
  if (signIn === "provider") return "provider";
  return secondFactor === "required" && method === "password" ? "secondFactor" : null;
}

/** @throws {AppError} forbidden */
export function refuseBarred({ barred }: { readonly barred: Barred | null }): void {
  if (barred !== null) throw new AppError("forbidden", texts[barred]);
}
