import type { Deployment, DeploymentResult, Project } from "#contract/projects.ts";
import { instant, instantOrNull } from "../kinds/instants.ts";
import type { DeploymentRow, ProjectRow } from "../storage/storage.ts";

export function projectView({ uuid, name, logicalId, repoUrl, createdAtMs }: ProjectRow): Project {
  return { id: uuid, name, logicalId, repoUrl, created_at: instant(createdAtMs) };
}

/** @param progress in percent */
export function deploymentView(row: DeploymentRow, progress: number): Deployment {
  return {
    id: row.uuid,
    logicalId: row.logicalId,
    status: row.status,
    dryRun: false,
    progress: row.endedAtMs === null ? progress : 100,
    error: row.error,
    result: row.result as DeploymentResult | null, // written by us
    createdAt: instant(row.createdAtMs),
    startedAt: instant(row.createdAtMs),
    endedAt: instantOrNull(row.endedAtMs),
    cancelRequestedAt: instantOrNull(row.cancelRequestedAtMs),
  };
}
