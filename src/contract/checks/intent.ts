import { z } from "zod";

const statements = z.array(z.string().min(1).max(1000)).max(20).default([]);

/** What a check is for, in words. Kept and given back for clients that set it; nothing acts upon it (reference). */
export const CheckIntent = z
  .object({ goal: z.string().min(1).max(2000), requiredOutcomes: statements, mustPreserve: statements })
  .meta({ id: "CheckIntent" });
export type CheckIntent = z.output<typeof CheckIntent>;

/** The same in the v3 reads. */
export const CheckIntentV3 = z
  .object({
    goal: z.string(),
    constraints: z.array(z.object({ type: z.enum(["REQUIRED_OUTCOME", "MUST_PRESERVE"]), statement: z.string() })),
  })
  .meta({ id: "CheckIntentV3" });
export type CheckIntentV3 = z.output<typeof CheckIntentV3>;

/** The v3 form of an intent. */
export function intentV3Of(intent: CheckIntent): CheckIntentV3 {
  return {
    goal: intent.goal,
    constraints: [
      ...intent.requiredOutcomes.map((statement) => ({ type: "REQUIRED_OUTCOME" as const, statement })),
      ...intent.mustPreserve.map((statement) => ({ type: "MUST_PRESERVE" as const, statement })),
    ],
  };
}
