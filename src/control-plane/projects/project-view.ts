import type { Deployment, DeploymentResult, Project, ProjectDeploy } from "#contract/projects.ts";
import { instant, instantOrNull } from "../kinds/instants.ts";
import type { DeployedFrom, DeploymentRow, ProjectRow } from "../storage/storage.ts";

export function projectView({ uuid, name, logicalId, repoUrl, createdAtMs }: ProjectRow): Project {
  return { id: uuid, name, logicalId, repoUrl, created_at: instant(createdAtMs) };
}

/** The commit and branch that clients tell, and nothing else of what they send along. */
export function deployedFrom({ repoInfo }: ProjectDeploy): DeployedFrom {
  return { commitId: repoInfo?.commitId ?? null, branch: repoInfo?.branchName ?? null };
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
