import type { SuiteTests } from "#contract/suite-tests.ts";
import type { CauseRead } from "../causes/cause-part.ts";
import type { CheckSurroundings } from "./check-standing.ts";
import type { Measured } from "./measured.ts";
import type { StartedRun } from "./run-box.ts";
import type { RunRow } from "./run-row.ts";

/** What the page of a check tells. */
export interface CheckView extends Measured {
  readonly results: readonly RunRow[];
  readonly standing: CheckSurroundings;
  /** Where earlier ones begin; null: there are none. */
  readonly nextId: string | null;
  /** The run that somebody has just started. */
  readonly run: StartedRun | null;
  /** Of a suite. */
  readonly suite: SuiteTests | null;
  /** Why it fails; null: it does not, or nobody knows its error. */
  readonly cause: CauseRead | null;
  readonly publicUrl: string;
}
