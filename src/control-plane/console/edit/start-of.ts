import { defaultAlertSettings } from "#contract/checks/alert-settings.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { checkTypesInConsole } from "../check-types/index.ts";

/** What the creation of a check of this type begins with. */
export function startOf(type: CheckTypeName): Readonly<Record<string, unknown>> {
  return { useGlobalAlertSettings: true, alertSettings: defaultAlertSettings, ...checkTypesInConsole[type].form.start };
}
