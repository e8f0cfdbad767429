import { z } from "zod";
import { WholeNumber } from "#daemon/env.ts";
import { Secret } from "#daemon/secret.ts";

const MetricsToken = z
  .string()
  .trim()
  .regex(/^[\w.~+/-]{16,200}=*$/, "must be 16 to 200 characters that a bearer token may have (letters, digits, - . _ ~ + /)")
  .transform((text) => new Secret(text));

export const probeEnv = {
  PROBE_PORT: WholeNumber(0, 65_535)
    .optional()
    .describe(
      "port of a thread of its own that answers /health, /-/liveness, /-/readiness and /metrics within 0.1 s, also while requests keep the control plane busy; 0 takes a free one; none when absent: PORT answers them, after what came before",
    ),
  METRICS_TOKEN: z
    .string()
    .pipe(MetricsToken)
    .optional()
    .describe(
      "token with which /metrics tells queues by location, sent as `Authorization: Bearer …`; without it anybody is told those of all locations together",
    ),
};
