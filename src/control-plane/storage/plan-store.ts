import type { BaselineAccess } from "./baseline-store.ts";

/* What agentic checks did when they passed last, see `storage.ts`. */

/** A plan as JSON, and the key of what it depends on. */
export interface KeptPlan {
  readonly key: string;
  readonly plan: string;
}

export interface PlanStore {
  ofCheck(checkId: number): Promise<KeptPlan | undefined>;
  /**
   * In the place of what is kept. Of a run that saves nothing none is kept.
   *
   * @throws {AppError} conflict: the agent does not hold the job
   */
  keep(of: BaselineAccess, plan: KeptPlan, nowMs: number): Promise<void>;
  /** Whose check a job of the agent runs: a check that is tried is stored nowhere, and null. @throws {AppError} conflict: the agent does not hold the job */
  ownerOf(of: BaselineAccess): Promise<{ readonly accountId: number; readonly checkUuid: string | null } | null>;
}
