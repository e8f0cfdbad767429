import { type Dashboard } from "#contract/dashboards.ts";

export interface StoredKey {
  readonly id: string;
  readonly hash: string;
  readonly maskedKey: string;
  readonly createdAtMs: number;
}

export type DashboardSettings = Omit<Dashboard, "id" | "dashboardId" | "created_at" | "keys">;

/** What is stored of a dashboard; its dashboardId is the document's name. */
export interface DashboardDefinition {
  readonly settings: DashboardSettings;
  readonly keys: readonly StoredKey[];
}

/** Pages are found by it without their account. */
export function idClaim(dashboardId: string): string {
  return `dashboard-id:${dashboardId}`;
}
