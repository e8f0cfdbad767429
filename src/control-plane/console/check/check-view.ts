import type { CheckAlert } from "#contract/check-alerts.ts";
import type { ErrorGroup } from "#contract/error-groups.ts";
import type { Figures } from "./figures.ts";
import type { Range } from "./range.ts";
import type { StartedRun } from "./run-box.ts";
import type { RunRow } from "./run-section.ts";
import type { CheckRead } from "./subject.ts";

/** What the page of a check tells. */
export interface CheckView {
  readonly check: CheckRead;
  readonly range: Range;
  readonly figures: Figures | null;
  readonly results: readonly RunRow[];
  /** Where earlier ones begin; null: there are none. */
  readonly nextId: string | null;
  readonly alerts: readonly CheckAlert[];
  readonly errors: readonly ErrorGroup[];
  /** The run that somebody has just started. */
  readonly run: StartedRun | null;
  readonly nowMs: number;
}
