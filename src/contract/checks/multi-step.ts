import { schemasOf } from "./check-schemas.ts";
import { scriptTraits } from "./check-traits.ts";
import { Script, scriptedFields } from "./scripted.ts";

/** The schemas of multistep checks (behaviour 2.3). */
export const multiStepCheck = schemasOf("MULTI_STEP", {
  id: "MultiStepCheck",
  title: "multistep check",
  writable: { ...scriptedFields, script: Script.nullable() },
  defaults: { frequency: 10 },
});

export const multiStepTraits = scriptTraits;
