import type { CheckTypeInConsole } from "../check-type.ts";
import { scriptFields, scriptMeasures, scriptStart } from "../shared/script-fields.ts";

export const multiStep: CheckTypeInConsole<"MULTI_STEP"> = {
  form: { fields: scriptFields, start: scriptStart, assertions: null },
  measures: scriptMeasures,
  subject: () => "",
  details: null,
};
