import type { LeasedJob } from "#contract/agent-protocol.ts";
import type { Baselines, Bundles, Plans } from "../runners/check-runner.ts";
import { jobBaselines } from "./job-baselines.ts";
import { jobBundles } from "./job-bundles.ts";
import { jobPlans } from "./job-plans.ts";
import { PictureCache } from "./picture-cache.ts";
import type { ControlPlane } from "./retrying-client.ts";

/** What the control plane keeps for runs, beside their settings. */
export function filesOfJobs(controlPlane: ControlPlane): {
  readonly baselines: (job: LeasedJob) => Baselines;
  readonly bundles: (job: LeasedJob) => Bundles;
  readonly plans: (job: LeasedJob) => Plans;
} {
  const pictures = new PictureCache();
  return {
    baselines: (job) => jobBaselines(controlPlane, pictures, job),
    bundles: (job) => jobBundles(controlPlane, job),
    plans: (job) => jobPlans(controlPlane, job),
  };
}
