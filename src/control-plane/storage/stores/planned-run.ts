import type { NewRun } from "../storage.ts";

export interface PlannedRun extends NewRun {
  readonly checkType: string;
}
