import { z } from "zod";
import { JobRef } from "./agent-protocol.ts";
import { AgenticAssertion } from "./checks/agentic.ts";
import { listOf } from "./list-of.ts";
import type { Operation } from "./operation.ts";

/** Characters of a plan as JSON. */
export const longestPlan = 65_536;

/** What an agentic check did when it passed, to be done again without a model. Values of variables are in none: they stand by their names. */
export const AgenticPlan = z.object({
  version: z.literal(1),
  summary: z.string().max(10_000),
  steps: listOf(z.object({ tool: z.string().max(50), input: z.record(z.string(), z.unknown()) }), 200),
  assertions: listOf(AgenticAssertion, 50),
});
export type AgenticPlan = z.output<typeof AgenticPlan>;

/** Of all that a plan depends on: prompt, hosts and variables. */
export const PlanKey = z.string().regex(/^[0-9a-f]{64}$/);

const agentOperation = { tag: "Agent protocol", rateLimit: "none", method: "POST", access: "agent-session", successStatus: 200 } as const;

export const keepPlan = {
  ...agentOperation,
  id: "keepPlan",
  path: "/agent/v1/plans/keep",
  summary: "Keep what an agentic check did when it passed, in the place of what was kept",
  description: "409 where the agent does not hold the job. 413 where the plan is longer than is kept.",
  body: JobRef.extend({ key: PlanKey.describe("as the job has it"), plan: AgenticPlan }),
  output: z.object({}),
  errors: [409, 413],
} as const satisfies Operation;

export const noteModelUse = {
  ...agentOperation,
  id: "noteModelUse",
  path: "/agent/v1/model-use",
  summary: "Say how a run used the operator's model, for the audit log of its account",
  description: "409 where the agent does not hold the job.",
  body: JobRef.extend({
    model: z.string().max(200),
    calls: z.int().min(0).max(10_000),
    promptTokens: z.int().min(0),
    completionTokens: z.int().min(0),
  }),
  output: z.object({}),
  errors: [409],
} as const satisfies Operation;

export const agentPlanOperations = [keepPlan, noteModelUse] as const;
