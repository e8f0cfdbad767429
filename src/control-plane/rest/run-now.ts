import type { CheckStore } from "../storage/storage.ts";
import { type StartDeps, startChecks } from "./start-checks.ts";

export interface RunNowDeps extends StartDeps {
  readonly checks: Pick<CheckStore, "activated">;
}

/** Runs those of the checks that can run, apart from their schedules: a deployment made or changed them. */
export async function runNow(deps: RunNowDeps, accountId: number, checkUuids: readonly string[]): Promise<void> {
  const wanted = new Set(checkUuids);
  const checks = (await deps.checks.activated(accountId)).filter(({ uuid, locationIds }) => wanted.has(uuid) && locationIds.length > 0);
  if (checks.length > 0) await startChecks(deps, accountId, checks, "SCHEDULE_NOW");
}
