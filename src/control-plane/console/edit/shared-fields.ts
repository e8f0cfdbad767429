import { isPinged } from "#contract/checks/traits.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { checkFieldTexts as texts } from "../../texts/check-fields.ts";
import type { CheckField } from "../check-types/check-field.ts";

export const nameField: CheckField = { path: "name", label: texts.name, kind: "text" };
export const tagsField: CheckField = { path: "tags", label: texts.tags, kind: "list", hint: texts.betweenCommas };

/** What every check can be told, beside its name, tags, and where and how often it runs. */
export const placedFields: readonly CheckField[] = [
  { path: "groupId", label: texts.group, kind: "group", isNullable: true },
  { path: "description", label: texts.description, kind: "area", isNullable: true },
];

export const parallelField: CheckField = { path: "runParallel", label: texts.parallel, kind: "flag" };

const within = "alerts";

/** When it alerts, unless the settings of its group or the account do. */
const alertFields: readonly CheckField[] = [
  { path: "useGlobalAlertSettings", label: texts.accountAlerts, kind: "flag", within },
  { path: "alertSettings.escalationType", label: texts.alertsAfter, kind: "choice", ...told(texts.escalations), within },
  numbers("alertSettings.runBasedEscalation.failedRunThreshold", texts.failedRuns, [1, 2, 3, 4, 5]),
  numbers("alertSettings.timeBasedEscalation.minutesFailingThreshold", texts.failingMinutes, [5, 10, 15, 30]),
  { path: "alertSettings.parallelRunFailureThreshold.enabled", label: texts.onlyShare, kind: "flag", within },
  numbers("alertSettings.parallelRunFailureThreshold.percentage", texts.share, [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]),
  { ...numbers("alertSettings.reminders.amount", texts.reminders, [0, 1, 2, 3, 4, 5, 100_000]), optionTexts: texts.reminderCounts },
  { ...numbers("alertSettings.reminders.interval", texts.reminderMinutes, [1, 2, 3, 4, 5, 10, 15, 30]), usual: "5" },
  { path: "alertSettings.confirmation", label: texts.confirmation, kind: "choice", ...told(texts.confirmations), within },
];

function told(optionTexts: Readonly<Record<string, string>>): Pick<CheckField, "options" | "optionTexts"> {
  return { options: Object.keys(optionTexts), optionTexts };
}

function numbers(path: string, label: string, options: readonly number[]): CheckField {
  return { path, label, kind: "choice", options: options.map(String), isNumber: true, within };
}

/** Those of a type. A heartbeat runs nowhere, so nobody else can see that it is missing. */
export function sharedFields(type: CheckTypeName): readonly CheckField[] {
  if (isPinged(type)) return [...placedFields, ...alertFieldsOf(type)];
  return [...placedFields, parallelField, ...alertFieldsOf(type)];
}

export function alertFieldsOf(type: CheckTypeName): readonly CheckField[] {
  if (!isPinged(type)) return alertFields;
  return alertFields.filter(({ path }) => !/confirmation|parallelRunFailureThreshold/.test(path));
}
