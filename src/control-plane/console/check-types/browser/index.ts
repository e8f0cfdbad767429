import type { CheckTypeInConsole } from "../check-type.ts";
import { scriptDetails } from "../script-run/details.ts";
import { scriptFields, scriptMeasures, scriptStart, sslDomainField } from "../shared/script-fields.ts";

export const browser: CheckTypeInConsole<"BROWSER"> = {
  form: { fields: [...scriptFields, sslDomainField], start: scriptStart, assertions: null },
  measures: scriptMeasures,
  subject: () => "",
  details: scriptDetails,
};
