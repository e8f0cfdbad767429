import { type CheckType, checkTypes } from "#contract/checks/index.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import type { AgentConfig } from "../config.ts";
import { type Abilities, runtimesFor } from "../contact/introduction.ts";
import type { JobsWanted } from "../contact/job-poller.ts";
import type { SeatKind } from "./seat-queues.ts";

/** Of its check types, with what comes around a run. */
export function longestRunOf(kind: SeatKind): number {
  const types = (Object.keys(checkTypes) as CheckType[]).filter((type) => traitsOf(type).seats === kind);
  return 2 * Math.max(...types.map((type) => checkTypes[type].runLimitMs));
}

/** Scripts run on some runtimes only. */
export function jobsOf(kind: SeatKind, deps: Pick<Abilities, "runners" | "playwright" | "agentModel">): JobsWanted {
  const checkTypes = (Object.keys(deps.runners) as CheckType[]).filter((type) => traitsOf(type).seats === kind);
  return kind === "probe" || kind === "suite"
    ? { checkTypes }
    : { checkTypes, runtimes: checkTypes.flatMap((type) => runtimesFor(type, deps)) };
}

/** Seats by kind, as the settings have them; none where such checks do not run here. */
export function seatsOf(
  { jobConcurrency, playwright, suites, agentic }: Pick<AgentConfig, "jobConcurrency" | "playwright" | "suites" | "agentic">,
  abilities: Pick<Abilities, "playwright" | "suites" | "agentModel">,
): Record<SeatKind, number> {
  const ofType = (type: CheckType, seats: number): number => (runtimesFor(type, abilities).length > 0 ? seats : 0);
  return {
    probe: jobConcurrency,
    multiStep: ofType("MULTI_STEP", playwright.multiStepConcurrency),
    browser: ofType("BROWSER", playwright.browserConcurrency),
    suite: abilities.suites ? suites.concurrency : 0,
    agentic: ofType("AGENTIC", agentic.concurrency),
  };
}
