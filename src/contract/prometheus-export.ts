import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { UuidPathId } from "./primitives.ts";

export const exportPrometheusMetrics = {
  id: "exportPrometheusMetrics",
  tag: "Prometheus export",
  method: "GET",
  path: "/accounts/{accountId}/v2/prometheus/metrics",
  access: "read",
  rateLimit: "standard",
  summary: "Read the state and the figures of every check in the Prometheus text format",
  description: `To be scraped with an API key as bearer token; a user's key needs no account header here. Figures are up to 15 seconds old.

Every check has \`outpost_check_info\`, which carries its labels: \`check_id\`, \`check_name\`, \`check_type\`, \`activated\`, \`muted\` (by itself, for a while, or by its group), \`group_name\`
(empty without a group) and \`tags\` (each between commas, \`,web,eu,\`, empty without any). All other metrics have \`check_id\`, \`check_name\`
and \`check_type\`; join them with \`* on (check_id) group_left (tags) outpost_check_info\`.

Of activated checks that have run: \`outpost_check_up\` (0 when it fails), \`outpost_check_degraded\`, \`outpost_check_last_run_timestamp_seconds\`,
\`outpost_check_ssl_days_remaining\`, and the counters \`outpost_check_results_total\` by \`outcome\` (passed, degraded, failed) and
\`outpost_check_response_time_seconds_total\`, which count on for as long as the check exists (of a heartbeat: events since it was activated).
Over the hour before the scrape, of checks with results in it: \`outpost_check_availability_ratio\` (0 to 1) and
\`outpost_check_response_time_seconds\` by \`quantile\` (0.5, 0.95, 0.99). Times are those of the check type's \`responseTime\`, of ICMP monitors the
average latency. Runs that were cancelled, and failures of an agent itself, count nowhere.`,
  params: z.object({ accountId: UuidPathId }),
  text: "text/plain; version=0.0.4",
  successStatus: 200,
  example: { params: { accountId: exampleIds.account } },
} as const satisfies Operation;

export const prometheusOperations = [exportPrometheusMetrics] as const;
