import { z } from "zod";
import { schemasOf } from "./check-schemas.ts";
import { type CheckTraits, scriptTraits } from "./check-traits.ts";
import { MultiStepRunResult } from "./playwright-run.ts";
import { flakyIsDegraded, reportFile, Script, scriptedFields, scriptedSettings } from "./scripted.ts";

/** What a runner needs to know of a multistep check, and what the verdict is judged by. */
export const MultiStepCheckSettings = z.object(scriptedSettings);
export type MultiStepCheckSettings = z.output<typeof MultiStepCheckSettings>;

/** `multiStepCheckResult`: what one attempt of a multistep check saw (reference). */
export const MultiStepCheckResult = MultiStepRunResult.extend(reportFile).meta({ id: "MultiStepCheckResult" });
export type MultiStepCheckResult = z.infer<typeof MultiStepCheckResult>;

/** The schemas of multistep checks (behaviour 2.3). */
export const multiStepCheck = schemasOf("MULTI_STEP", {
  id: "MultiStepCheck",
  title: "multistep check",
  writable: { ...scriptedFields, flakyIsDegraded, script: Script.nullable() },
  defaults: { frequency: 10 },
});

export const multiStepTraits = { ...scriptTraits, seats: "multiStep" } as const satisfies CheckTraits;
