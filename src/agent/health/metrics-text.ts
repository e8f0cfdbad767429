import { type Exposition, exposition } from "#daemon/exposition.ts";
import type { AgentMetrics } from "./metrics.ts";
import { withOlderNames } from "./older-names.ts";

/** An agent's /metrics. OpenMetrics, which is newer than the older names, does without them. @param accept the header */
export async function agentMetricsText({ registry }: Pick<AgentMetrics, "registry">, accept: string): Promise<Exposition> {
  const { type, body } = await exposition([registry], accept);
  return { type, body: body.endsWith("# EOF\n") ? body : withOlderNames(body) };
}
