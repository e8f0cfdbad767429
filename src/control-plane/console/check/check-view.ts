import type { CheckAlert } from "#contract/check-alerts.ts";
import type { ErrorGroup } from "#contract/error-groups.ts";
import type { IncidentRead } from "../incidents/incident-words.ts";
import type { Figures } from "./figures.ts";
import type { AskedRange, Range } from "./range.ts";
import type { StartedRun } from "./run-box.ts";
import type { RunRow } from "./run-section.ts";
import type { CheckRead } from "./subject.ts";

/** What the page of a check tells. */
export interface CheckView {
  readonly check: CheckRead;
  readonly range: Range;
  readonly asked: AskedRange;
  /** Locations that the address names. */
  readonly chosen: readonly string[];
  readonly figures: Figures | null;
  readonly results: readonly RunRow[];
  /** The newest run that is finished, if any. */
  readonly newest: readonly RunRow[];
  /** Where earlier ones begin; null: there are none. */
  readonly nextId: string | null;
  /** The newest. */
  readonly alerts: readonly CheckAlert[];
  /** Those of the range. */
  readonly alertsThen: readonly CheckAlert[];
  readonly errors: readonly ErrorGroup[];
  /** Of the status page's service that the check is bound to. */
  readonly incidents: readonly IncidentRead[];
  /** The run that somebody has just started. */
  readonly run: StartedRun | null;
  readonly nowMs: number;
  readonly publicUrl: string;
}
