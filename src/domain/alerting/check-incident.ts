import type { CheckAlertType } from "#contract/check-alerts.ts";
import type { TriggerIncident } from "#contract/checks/check.ts";
import { latestFirst, type StatusPageIncidentDefinition, type StoredIncidentUpdate, statusOf } from "../incidents.ts";

/*
 * Incidents that checks open by their `triggerIncident` (behaviour 2.7). They follow what is told, not what is known: what nobody is alerted of
 * opens none.
 */

/** What an alert means for the incident of its check; the others leave it as it is. */
export const incidentStep: Partial<Record<CheckAlertType, "open" | "resolve">> = {
  ALERT_FAILURE: "open",
  ALERT_DEGRADED_FAILURE: "open",
  ALERT_RECOVERY: "resolve",
  ALERT_DEGRADED_RECOVERY: "resolve",
};

/** @param checkName stands where the check's settings name nothing */
export function openedIncident(trigger: TriggerIncident, checkName: string, updateId: string, atMs: number): StatusPageIncidentDefinition {
  const { serviceId, severity, name, description, notifySubscribers } = trigger;
  const update: StoredIncidentUpdate = {
    id: updateId,
    description: description || `${checkName} fails.`,
    status: "INVESTIGATING",
    publicAtMs: atMs,
    notifySubscribers,
    createdAtMs: atMs,
  };
  return { name: name || checkName, severity, serviceIds: [serviceId.toLowerCase()], updates: [update] };
}

/** Who was told of the incident is told of its end. One that people resolved stays as they left it. */
export function resolvedIncident(
  incident: StatusPageIncidentDefinition,
  checkName: string,
  updateId: string,
  atMs: number,
): StatusPageIncidentDefinition {
  const { updates } = incident;
  if (statusOf(updates) === "RESOLVED") return incident;
  const update: StoredIncidentUpdate = {
    id: updateId,
    description: `${checkName} passes again.`,
    status: "RESOLVED",
    // The latest date tells the status, and people may have written one that is still to come.
    publicAtMs: Math.max(atMs, latestFirst(updates)[0]?.publicAtMs ?? 0),
    notifySubscribers: updates.some(({ notifySubscribers }) => notifySubscribers),
    createdAtMs: atMs,
  };
  return { ...incident, updates: [...updates, update] };
}
