import type { OutputOf } from "#contract/operation.ts";
import { type getStatusPageIncident, IncidentSeverity } from "#contract/status-pages/incidents.ts";
import { incidentTexts as texts } from "../../texts/incidents.ts";
import { severityTexts } from "../../texts/status-pages.ts";
import type { Tone } from "../../view/state-label.ts";

/** An incident as it is read over REST. */
export type IncidentRead = OutputOf<typeof getStatusPageIncident>;

type Severity = IncidentRead["severity"];

const tones: Readonly<Record<Severity, Tone>> = { CRITICAL: "bad", MAJOR: "bad", MEDIUM: "warn", MINOR: "warn" };

/** With its first update, the earliest of them. */
export function beganAt({ incidentUpdates, created_at: createdAt }: IncidentRead): number {
  return Date.parse(incidentUpdates.at(-1)?.publicIncidentUpdateDate ?? createdAt);
}

/** How an incident stands: its severity decides the tone while it is open. */
export function incidentState({ lastUpdateStatus, severity }: Pick<IncidentRead, "lastUpdateStatus" | "severity">): {
  readonly tone: Tone;
  readonly text: string;
} {
  return { tone: lastUpdateStatus === "RESOLVED" ? "ok" : tones[severity], text: texts.statuses[lastUpdateStatus] };
}

export function severityText(severity: Severity): string {
  return texts.severities[severity];
}

export function severityTone(severity: Severity): Tone {
  return tones[severity];
}

/** The names alone do not say what a status page makes of them. */
export const severityOptions = IncidentSeverity.options.map(
  (one) => [one, texts.severityChoice(texts.severities[one], severityTexts[one])] as const,
);

/** What an incident that is not over can be. */
export const openStatusOptions = (["INVESTIGATING", "IDENTIFIED", "MONITORING"] as const).map((one) => [one, texts.statuses[one]] as const);
