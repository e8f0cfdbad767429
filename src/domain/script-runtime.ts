/** Stands for the runtime of the account. */
export const accountRuntime = "account";

const scriptFields = ["localSetupScript", "localTearDownScript", "setupSnippetId", "tearDownSnippetId"] as const;

/**
 * The runtime that a check's scripts run on: its own, or its account's. Null: it has no scripts, so any agent can run it, also one
 * without runtimes.
 */
export function scriptRuntime(definition: Readonly<Record<string, unknown>>): string | null {
  const hasScript = scriptFields.some((name) => {
    const value = definition[name];
    return typeof value === "number" || (typeof value === "string" && value.trim() !== "");
  });
  if (!hasScript) return null;
  const own = definition["runtimeId"];
  return typeof own === "string" ? own : accountRuntime;
}
