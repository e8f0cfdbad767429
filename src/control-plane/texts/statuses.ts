import type { MaintenanceStatus } from "#contract/maintenances.ts";
import type { StatusPageIncidentStatus } from "#contract/status-pages/incidents.ts";

/** How people are told of the status of an incident, on pages and in mails. */
export const incidentStatusTexts: Readonly<Record<StatusPageIncidentStatus, string>> = {
  INVESTIGATING: "Investigating",
  IDENTIFIED: "Identified",
  MONITORING: "Monitoring",
  RESOLVED: "Resolved",
};

/** The same of planned maintenance. */
export const maintenanceStatusTexts: Readonly<Record<MaintenanceStatus, string>> = {
  SCHEDULED: "Planned",
  IN_PROGRESS: "In progress",
  VERIFYING: "Verifying",
  COMPLETED: "Completed",
  CANCELLED: "Cancelled",
};
