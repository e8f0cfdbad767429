import { type IncidentReplacement, type IncidentStatus } from "#contract/incidents.ts";

export interface StoredUpdate {
  readonly id: string;
  readonly status: IncidentStatus;
  readonly description: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number | null;
}

/** What is stored of a dashboard's incident. Its dashboard is the document's parent. */
export interface IncidentDefinition {
  readonly settings: IncidentReplacement;
  /** Oldest first, at least one. */
  readonly updates: readonly StoredUpdate[];
}
