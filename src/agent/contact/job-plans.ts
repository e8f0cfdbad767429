import { AgenticPlan, keepPlan, noteModelUse } from "#contract/agent-plans.ts";
import type { LeasedJob } from "#contract/agent-protocol.ts";
import type { Plans } from "../runners/check-runner.ts";
import type { ControlPlane } from "./retrying-client.ts";

const limitMs = 10_000;

/** What the control plane keeps of a check that is a prompt; nothing of a run that saves nothing. Each call is tried once: a run waits for it. */
export function jobPlans(controlPlane: Pick<ControlPlane, "once">, { jobId, fence, payload: { plan } }: LeasedJob): Plans {
  const job = { jobId, fence };
  return {
    kept: AgenticPlan.safeParse(plan?.kept).data ?? null, // of another version there is none
    async keep(made, signal) {
      if (plan !== undefined) await controlPlane.once(keepPlan, { ...job, key: plan.key, plan: made }, { signal, limitMs });
    },
    async noteUse(use, signal) {
      await controlPlane.once(noteModelUse, { ...job, ...use }, { signal, limitMs });
    },
  };
}
