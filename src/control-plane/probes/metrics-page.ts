import type { Secret } from "#daemon/secret.ts";
import { AppError } from "#domain/app-error.ts";
import type { PageRoute } from "../http/page-routes.ts";
import type { CountRequest } from "../http/rate-limit.ts";
import { isSameText } from "../keys/same-text.ts";
import type { ControlPlaneMetrics } from "../metrics/metrics.ts";

/**
 * `/metrics`. Names of locations are tenants': they are told only to whom the operator gave `METRICS_TOKEN`. Anybody else sees the figures
 * of all locations together. Not at names that lead to a page of their own.
 */
export function metricsPage(deps: {
  readonly metrics: Pick<ControlPlaneMetrics, "text">;
  /** `METRICS_TOKEN`; null where there is none. */
  readonly metricsToken: Secret | null;
  readonly countRequest: CountRequest;
}): PageRoute {
  return {
    path: "/metrics",
    answer: async ({ authorization, remoteAddress, accept }) => {
      if (authorization === "") return deps.metrics.text({ tellsLocations: false, accept });
      const isRight = deps.metricsToken !== null && isSameText(authorization, `Bearer ${deps.metricsToken.reveal()}`);
      if (isRight) return deps.metrics.text({ tellsLocations: true, accept });
      deps.countRequest("wrong-keys", remoteAddress);
      throw new AppError(
        "unauthorized",
        "This is not the token of METRICS_TOKEN; without one the figures of all locations together are told",
      );
    },
  };
}
