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
      "address that the control plane calls with GET while reading, writing, scheduling and delivering all work, such as the ping address of a heartbeat check of another installation. If the calls stop, that heartbeat alerts. None if not set",
    ),
  WATCHDOG_URL_FILE: SecretFile.pipe(WatchdogUrl).optional().describe("file with this address, instead of WATCHDOG_URL"),
  WATCHDOG_SECONDS: WholeNumber(10, 3600).default(60).describe("seconds between two such calls"),
  PROBE_PORT: WholeNumber(0, 65_535)
    .optional()
    .describe(
      "port of a separate thread that answers /health, /-/liveness, /-/readiness and /metrics within 0.1 s, even while the control plane is busy; 0 uses a free port. If it is not set, PORT answers them like other requests",
    ),
  METRICS_TOKEN: z
    .string()
    .pipe(MetricsToken)
    .optional()
    .describe(
      "token for the queues of each location in /metrics, sent as `Authorization: Bearer …`; without it, /metrics shows only the sums over all locations",
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
