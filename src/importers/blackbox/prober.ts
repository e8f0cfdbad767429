import type { ImportedType, Importing } from "../imported.ts";
import type { Fields } from "../yaml-text.ts";

/** A module with the place of its settings. */
export interface ProbeModule {
  readonly name: string;
  /** Path of the prober's own settings. */
  readonly where: string;
  readonly settings: Fields;
  readonly timeoutMs: number | undefined;
}

/** A check without name, tags and frequency. */
export interface ProbeCheck {
  readonly checkType: ImportedType;
  readonly request: object;
  readonly [field: string]: unknown;
}

/** What makes a check of a target; undefined after a warning that says why there is none. */
export type Prober = (importing: Importing, module: ProbeModule, target: string, where: string) => ProbeCheck | undefined;
