import type { CheckTypeInConsole } from "../check-type.ts";
import { scriptDetails } from "../script-run/details.ts";
import { scriptTemplates } from "../script-run/templates.ts";
import { scriptFields, scriptMeasures, scriptStart } from "../shared/script-fields.ts";

export const multiStep: CheckTypeInConsole<"MULTI_STEP"> = {
  form: { fields: scriptFields, start: scriptStart, assertions: null, templates: scriptTemplates.MULTI_STEP },
  measures: scriptMeasures,
  subject: () => "",
  details: scriptDetails,
};
