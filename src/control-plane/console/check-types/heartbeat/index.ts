import { timeUnits } from "#contract/checks/heartbeat.ts";
import { checkFieldTexts as texts } from "../../../texts/check-fields.ts";
import type { CheckTypeInConsole } from "../check-type.ts";

/** Its pings are told by `check/pings.ts`. */
export const heartbeat: CheckTypeInConsole<"HEARTBEAT"> = {
  form: {
    fields: [
      { path: "heartbeat.period", label: texts.period, kind: "number" },
      { path: "heartbeat.periodUnit", label: texts.periodUnit, kind: "choice", options: timeUnits },
      { path: "heartbeat.grace", label: texts.grace, kind: "number" },
      { path: "heartbeat.graceUnit", label: texts.graceUnit, kind: "choice", options: timeUnits },
    ],
    start: { heartbeat: { period: 1, periodUnit: "days", grace: 10, graceUnit: "minutes" } },
    assertions: null,
  },
  measures: null,
  subject: () => "",
  details: null,
};
