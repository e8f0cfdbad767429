import type { CheckTypeInConsole } from "../check-type.ts";
import { limitFields } from "../shared/network-fields.ts";

export const agentic: CheckTypeInConsole<"AGENTIC"> = {
  form: { fields: limitFields, start: {}, assertions: null },
  measures: null,
  subject: () => "",
  details: null,
};
