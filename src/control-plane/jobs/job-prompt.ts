import { createHash } from "node:crypto";
import type { JobPayload } from "#contract/agent-protocol.ts";
import { isCheckType, isPromptType } from "#contract/checks/index.ts";
import { asksAgenticModel } from "../kinds/analysis-settings.ts";
import type { AccountStore, PlanStore } from "../storage/storage.ts";
import { type AccountMaterialDeps, createAccountMaterial } from "./account-material.ts";
import { levelsOf, type MaterialJob } from "./job-material.ts";

export interface PromptDeps extends AccountMaterialDeps {
  readonly plans: Pick<PlanStore, "ofCheck">;
  readonly accounts: Pick<AccountStore, "byId">;
}

/** What the job of a check that is a prompt has beside others; nothing for other types. */
export type PromptBuilder = (job: MaterialJob, settings: unknown) => Promise<Pick<JobPayload, "plan" | "noModel">>;

/**
 * A plan is good as long as what it was made from: another prompt, another host or another variable, of whatever level, and there is none. Secrets count
 * as they are kept, sealed. A run that saves nothing has none and leaves none.
 */
export function createPromptBuilder(deps: PromptDeps): PromptBuilder {
  const { plans, accounts } = deps;
  const material = createAccountMaterial(deps);
  return async (job, settings) => {
    const { check, testSession } = job;
    if (!isCheckType(check.type) || !isPromptType(check.type)) return {};
    const account = await accounts.byId(check.accountId);
    const allowed = account === undefined || !asksAgenticModel(account) ? { noModel: true } : {};
    if (testSession !== null) return allowed;
    const [kept, ofAccount] = await Promise.all([plans.ofCheck(check.id), material.variables(check.accountId)]);
    const variables = [...levelsOf(job), ofAccount].map((level) => level.map(({ key, value, sealed }) => [key, value, sealed ?? null]));
    const key = createHash("sha256")
      .update(JSON.stringify([settings, variables]))
      .digest("hex");
    return { ...allowed, plan: { key, kept: kept?.key === key ? (JSON.parse(kept.plan) as unknown) : null } };
  };
}
