import { z } from "zod";
import { WholeNumber } from "#daemon/env.ts";
import { Secret } from "#daemon/secret.ts";
import { SecretFile } from "#daemon/secret-file.ts";

const MetricsToken = z
  .string()
  .trim()
  .regex(/^[\w.~+/-]{16,200}=*$/, "must be 16 to 200 characters that a bearer token may have (letters, digits, - . _ ~ + /)")
  .transform((text) => new Secret(text));

const WatchdogUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" }).transform((text) => new Secret(text));

export const probeEnv = {
  WATCHDOG_URL: z
    .string()
    .trim()
    .pipe(WatchdogUrl)
    .optional()
    .describe(
      "address that is asked with GET while reading, writing, scheduling and delivering all work, such as the ping of a heartbeat check of another installation, which alerts when it stays away; none when absent",
    ),
  WATCHDOG_URL_FILE: SecretFile.pipe(WatchdogUrl).optional().describe("file that holds it, instead of WATCHDOG_URL"),
  WATCHDOG_SECONDS: WholeNumber(10, 3600).default(60).describe("seconds between two such requests"),
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

type ProbeEnv = z.output<z.ZodObject<typeof probeEnv>>;

/** Whom a control plane tells that it is alive. */
export interface WatchdogSettings {
  readonly url: Secret;
  readonly everyMs: number;
}

/** Null: nobody is told. */
export function watchdogSettings({
  WATCHDOG_URL: url,
  WATCHDOG_URL_FILE: fromFile,
  WATCHDOG_SECONDS: seconds,
}: Pick<ProbeEnv, `WATCHDOG_${string}` & keyof ProbeEnv>): WatchdogSettings | null {
  const given = url ?? fromFile;
  return given === undefined ? null : { url: given, everyMs: seconds * 1000 };
}
