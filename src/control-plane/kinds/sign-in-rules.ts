import type { AccountRow } from "../storage/storage.ts";

/** How members may sign in to an account. */
export interface SignInRules {
  readonly secondFactor: "optional" | "required";
  readonly signIn: "any" | "provider";
}

export function signInRules({ settings }: Pick<AccountRow, "settings">): SignInRules {
  return {
    secondFactor: settings["secondFactor"] === "required" ? "required" : "optional",
    signIn: settings["signIn"] === "provider" ? "provider" : "any",
  };
}
