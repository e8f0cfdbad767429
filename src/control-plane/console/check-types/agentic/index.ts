import type { CheckTypeInConsole } from "../check-type.ts";
import { limitFields } from "../shared/network-fields.ts";
import { requestScriptFields, scriptFields, scriptStart, sslDomainField } from "../shared/script-fields.ts";

export const agentic: CheckTypeInConsole<"AGENTIC"> = {
  form: { fields: [...scriptFields, ...limitFields, sslDomainField, ...requestScriptFields], start: scriptStart, assertions: null },
  measures: null,
  subject: () => "",
  details: null,
};
