import type { OutputOf } from "#contract/operation.ts";
import { type getStatusPageIncident, IncidentSeverity, type StatusPageIncidentStatus } from "#contract/status-pages/incidents.ts";
import { incidentStatusTexts } from "#domain/incidents.ts";
import type { Tone } from "../../pages/public/state-label.ts";

/** An incident as it is read over REST. */
export type IncidentRead = OutputOf<typeof getStatusPageIncident>;

type Severity = IncidentRead["severity"];

const severities: Readonly<Record<Severity, { readonly tone: Tone; readonly text: string }>> = {
  CRITICAL: { tone: "bad", text: "Critical" },
  MAJOR: { tone: "bad", text: "Major" },
  MEDIUM: { tone: "warn", text: "Medium" },
  MINOR: { tone: "warn", text: "Minor" },
};

/** How an incident stands: its severity decides the tone while it is open. */
export function standingOf({ lastUpdateStatus, severity }: Pick<IncidentRead, "lastUpdateStatus" | "severity">): {
  readonly tone: Tone;
  readonly text: string;
} {
  return { tone: lastUpdateStatus === "RESOLVED" ? "ok" : severities[severity].tone, text: incidentStatusTexts[lastUpdateStatus] };
}

export function severityText(severity: Severity): string {
  return severities[severity].text;
}

export function severityTone(severity: Severity): Tone {
  return severities[severity].tone;
}

export function statusText(status: StatusPageIncidentStatus): string {
  return incidentStatusTexts[status];
}

export const severityOptions = IncidentSeverity.options.map((one) => [one, severities[one].text] as const);

/** What an incident that is not over can be. */
export const openStatusOptions = (["INVESTIGATING", "IDENTIFIED", "MONITORING"] as const).map(
  (one) => [one, incidentStatusTexts[one]] as const,
);
