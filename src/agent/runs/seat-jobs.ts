import { type CheckType, checkTypes } from "#contract/checks/index.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import { type Abilities, runtimesFor } from "../contact/introduction.ts";
import type { JobsWanted } from "../contact/job-poller.ts";
import type { SeatKind } from "./seat-queues.ts";

/** Of its check types, with what comes around a run. */
export function longestRunOf(kind: SeatKind): number {
  const types = (Object.keys(checkTypes) as CheckType[]).filter((type) => traitsOf(type).seats === kind);
  return 2 * Math.max(...types.map((type) => checkTypes[type].runLimitMs));
}

/** Scripts run on some runtimes only. */
export function jobsOf(kind: SeatKind, deps: Pick<Abilities, "runners" | "playwright">): JobsWanted {
  const checkTypes = (Object.keys(deps.runners) as CheckType[]).filter((type) => traitsOf(type).seats === kind);
  return kind === "probe" || kind === "suite"
    ? { checkTypes }
    : { checkTypes, runtimes: checkTypes.flatMap((type) => runtimesFor(type, deps)) };
}
