import type { Handler } from "../http/handler.ts";
import { type RunNowDeps, runNow } from "../rest/run-now.ts";
import { type DeploymentDeps, Deployments } from "./deployments.ts";
import { importHandlers } from "./import-handlers.ts";
import { projectHandlers } from "./project-handlers.ts";

export interface ProjectsDeps extends DeploymentDeps, RunNowDeps {
  /** Those of the objects that code can own. */
  readonly handlers: readonly Handler[];
}

/** What takes deployments of code, and the service that does them. */
export function createProjects(deps: ProjectsDeps): { readonly deployments: Deployments; readonly handlers: readonly Handler[] } {
  const deployments = new Deployments(deps);
  const run = (accountId: number, checkUuids: readonly string[]): Promise<void> => runNow(deps, accountId, checkUuids);
  return { deployments, handlers: [...projectHandlers({ ...deps, deployments, runNow: run }), ...importHandlers(deps)] };
}
