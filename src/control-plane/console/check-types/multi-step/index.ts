import type { CheckTypeInConsole } from "../check-type.ts";
import { scriptDetails } from "../script-run/details.ts";
import { scriptFields, scriptMeasures, scriptStart } from "../shared/script-fields.ts";

export const multiStep: CheckTypeInConsole<"MULTI_STEP"> = {
  form: { fields: scriptFields, start: scriptStart, assertions: null },
  measures: scriptMeasures,
  subject: () => "",
  details: scriptDetails,
};
