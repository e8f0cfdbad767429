import { isCheckType } from "#contract/checks/index.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import type { CheckTypeName } from "#contract/primitives.ts";

/** Stands for the runtime of the account. */
export const accountRuntime = "account";

const scriptFields = ["localSetupScript", "localTearDownScript", "setupSnippetId", "tearDownSnippetId"] as const;

/** Whether a check of this type is a script that agents run. */
export function isRunScript(type: CheckTypeName): boolean {
  return isCheckType(type) && traitsOf(type).scripts === "whole";
}

/**
 * The runtime that a check, or its scripts, run on: its own, or its account's. Null: it has no scripts, so any agent can run it, also one
 * without runtimes.
 */
export function scriptRuntime(type: CheckTypeName, definition: Readonly<Record<string, unknown>>): string | null {
  const hasScript = scriptFields.some((name) => {
    const value = definition[name];
    return typeof value === "number" || (typeof value === "string" && value.trim() !== "");
  });
  if (!isRunScript(type) && !hasScript) return null;
  const own = definition["runtimeId"];
  return typeof own === "string" ? own : accountRuntime;
}
