import { defaultAlertSettings } from "#contract/checks/alert-settings.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { checkTypesInConsole } from "../check-types/index.ts";

/** What the creation of a check of this type begins with. @param template by name, of those that the type has */
export function startOf(type: CheckTypeName, template: string | null = null): Readonly<Record<string, unknown>> {
  const { start, templates = [] } = checkTypesInConsole[type].form;
  const script = templates.find(({ name }) => name === template)?.script;
  return { useGlobalAlertSettings: true, alertSettings: defaultAlertSettings, ...start, ...(script !== undefined && { script }) };
}
