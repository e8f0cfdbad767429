import type { Handler } from "../http/handler.ts";
import { type RunNowDeps, runNow } from "../rest/run-now.ts";
import { type ChangeHandlerDeps, changeHandlers } from "./change-handlers.ts";
import { type DeploymentDeps, Deployments } from "./deployments.ts";
import { importHandlers } from "./import-handlers.ts";
import { projectHandlers } from "./project-handlers.ts";

/** `handlers`: those of the objects that code can own. */
export type ProjectsDeps = DeploymentDeps & RunNowDeps & ChangeHandlerDeps;

/** What takes deployments of code, and the service that does them. */
export function createProjects(deps: ProjectsDeps): { readonly deployments: Deployments; readonly handlers: readonly Handler[] } {
  const deployments = new Deployments(deps);
  const run = (accountId: number, checkUuids: readonly string[]): Promise<void> => runNow(deps, accountId, checkUuids);
  return {
    deployments,
    handlers: [...projectHandlers({ ...deps, deployments, runNow: run }), ...importHandlers(deps), ...changeHandlers(deps)],
  };
}
