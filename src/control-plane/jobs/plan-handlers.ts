import { keepPlan, longestPlan, noteModelUse } from "#contract/agent-plans.ts";
import { AppError } from "#domain/app-error.ts";
import { type Handler, handler } from "../http/handler.ts";
import type { NewAuditEntry, PlanStore } from "../storage/storage.ts";
import { accessOf } from "./held-access.ts";

export interface PlanHandlerDeps {
  readonly plans: PlanStore;
  readonly audit: (entry: NewAuditEntry) => Promise<void>;
  readonly nowMs: () => number;
}

/** What agentic checks did when they passed, and what they used of the operator's model, from the agent that runs the check. */
export function planHandlers({ plans, audit, nowMs }: PlanHandlerDeps): readonly Handler[] {
  return [
    handler(keepPlan, async ({ body: { key, plan, ...job } }, { caller: { agent } }) => {
      const text = JSON.stringify(plan);
      if (text.length > longestPlan)
        throw new AppError("too_large", `a plan has at most ${longestPlan} characters as JSON; received ${text.length}`);
      await plans.keep(accessOf(agent, job), { key, plan: text }, nowMs());
      return {};
    }),
    handler(noteModelUse, async ({ body: { model, calls, promptTokens, completionTokens, ...job } }, { caller: { agent } }) => {
      const owner = await plans.ownerOf(accessOf(agent, job));
      if (owner === null) return {}; // removed meanwhile, and its log with it
      const fields = [
        `model ${model}`,
        `calls ${calls}`,
        `prompt tokens ${promptTokens}`,
        `completion tokens ${completionTokens}`,
        `agent ${agent.name}`,
      ];
      const { accountId, checkUuid } = owner;
      await audit({ accountId, atMs: nowMs(), operation: "askAgenticModel", resourceId: checkUuid, fields, actor: null, request: null });
      return {};
    }),
  ];
}
