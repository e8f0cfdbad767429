import type { TriggerIncident } from "#contract/checks/check.ts";
import { ofArea, ofLine } from "./shown-text.ts";

/* The incident that a check opens, in the form: its names, and what was typed. */

export type Incident = Readonly<TriggerIncident>;

export const incidentPath = "triggerIncident";

export function incidentPlace(name: keyof Incident): string {
  return `${incidentPath}.${name}`;
}

/** Beside these something can be wrong with it. */
export const incidentPlaces: readonly string[] = [
  ...(["serviceId", "severity", "name", "description"] as const).map(incidentPlace),
  incidentPath,
];

/**
 * Undefined where nothing changes, so that a service that is gone meanwhile keeps nobody from saving the rest; null where the service was
 * emptied: then the check opens none.
 */
export function incidentIn(form: URLSearchParams, before: unknown): object | null | undefined {
  const textOf = (name: keyof Incident): string => form.get(incidentPlace(name))?.replaceAll("\r\n", "\n") ?? "";
  const serviceId = form.get(incidentPlace("serviceId"));
  if (serviceId === null) return undefined;
  const stored = (before ?? null) as Incident | null; // as the check is read
  if (serviceId === "") return stored === null ? undefined : null;
  const typed = {
    serviceId,
    severity: textOf("severity"),
    name: textOf("name"),
    description: textOf("description"),
    notifySubscribers: form.has(incidentPlace("notifySubscribers")),
  };
  return stored !== null && isSame(typed, stored) ? undefined : typed;
}

/** As a browser sends back what it was shown: without line breaks in a line, and with its own in an area. */
function isSame(typed: Readonly<Record<keyof Incident, unknown>>, stored: Incident): boolean {
  const { serviceId, severity, name, description, notifySubscribers } = stored;
  const sentBack = {
    serviceId: serviceId.toLowerCase(),
    severity,
    name: ofLine(name),
    description: ofArea(description),
    notifySubscribers,
  };
  return (Object.keys(sentBack) as (keyof Incident)[]).every((key) => typed[key] === sentBack[key]);
}
