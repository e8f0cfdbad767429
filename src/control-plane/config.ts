import { z } from "zod";
import { type Env, readEnv, WholeNumber } from "#daemon/env.ts";
import { type LogLevel, logLevels } from "#daemon/logger.ts";
import { type ProxySettings, proxyEnv, proxySettings, withLowerCaseProxies } from "#daemon/proxy.ts";
import type { Secret } from "#daemon/secret.ts";
import { SecretFile } from "#daemon/secret-file.ts";
import { type TelemetrySettings, telemetryEnv, telemetryProblems, telemetrySettings } from "#daemon/telemetry/settings.ts";
import { type ChannelSettings, channelEnv, channelProblems, channelSettings } from "./alerting/channels/settings.ts";
import type { ArtifactStoreSettings } from "./blob-store/open-blob-store.ts";
import { artifactEnv, artifactProblems, artifactStoreSettings } from "./blob-store/settings.ts";
import { type OidcSettings, oidcEnv, oidcProblems, oidcSettings } from "./console/sign-in/oidc-settings.ts";
import { type AccessLogShare, accessLogEnv } from "./http/access-log.ts";
import type { ConnectionLimits } from "./http/budgets/connections.ts";
import type { RateLimit } from "./http/rate-limit.ts";
import { EgressAddresses, HeaderNames, pageDomainEnv, RateLimitText, TrustedProxies } from "./http/settings.ts";
import type { TlsFiles } from "./http/tls.ts";
import { tlsEnv, tlsFiles, tlsProblems } from "./http/tls-settings.ts";
import type { KeySettings } from "./keys/key-settings.ts";
import { EncryptionKeyText, EncryptionKeyTexts, Pepper } from "./keys/key-texts.ts";
import { probeEnv, type WatchdogSettings, watchdogSettings } from "./probes/settings.ts";
import { type ModelSettings, modelEnv, modelProblems, modelSettings } from "./root-causes/model/settings.ts";
import { storageEnv } from "./storage/settings.ts";
import { type TraceSettings, traceSettings, traceViewerEnv, traceViewerProblems } from "./trace-viewer/settings.ts";

const seconds = (min: number, max: number, fallback: number) => WholeNumber(min, max).default(fallback);

/** The control plane's whole environment. Name, meaning, unit, default and bounds live here only; the settings page is made from it. */
export const ControlPlaneEnv = z.object({
  DATA_DIR: z.string().default("./data").describe("folder for all data: the database, the pepper, the encryption key, uploads"),
  HOST: z.string().default("127.0.0.1").describe("address to listen on; 0.0.0.0 or :: for all interfaces"),
  PORT: WholeNumber(0, 65_535).default(3000).describe("port to listen on; 0 uses a free port"),
  ...tlsEnv,
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .optional()
    .describe("base URL that people use, for links; http://HOST:PORT if not set. Pages can have their own domains only if it is set"),
  PING_URL: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .optional()
    .describe(
      "base URL of heartbeat pings with a host name of their own: PING_URL/TOKEN. If it is not set, pings go to PUBLIC_URL/ping/TOKEN",
    ),
  ...traceViewerEnv,
  TRUSTED_PROXIES: TrustedProxies.default([]).describe(
    "comma-separated addresses and networks of the proxies in front of the control plane, such as 10.0.0.0/8. Outpost reads the client's address and scheme from their X-Forwarded-For and X-Forwarded-Proto: for limits by address, allowed networks of keys, hosts of agents and the audit log. None if empty",
  ),
  ...pageDomainEnv,
  ...storageEnv,
  KEY_PEPPER: z
    .string()
    .pipe(Pepper)
    .optional()
    .describe(
      "secret for the hashes of keys. If it is not set, the first start creates one in DATA_DIR/pepper. If you change it, all keys stop working",
    ),
  KEY_PEPPER_FILE: SecretFile.pipe(Pepper).optional().describe("file with the pepper, instead of KEY_PEPPER"),
  ENCRYPTION_KEY: EncryptionKeyText.optional().describe(
    "key that encrypts the secrets of users: 32 bytes, as 64 hexadecimal digits or base64. If it is not set, the first start creates one in DATA_DIR/encryption.key",
  ),
  ENCRYPTION_KEY_FILE: SecretFile.pipe(EncryptionKeyText).optional().describe("file with this key, instead of ENCRYPTION_KEY"),
  ENCRYPTION_KEY_PREVIOUS: EncryptionKeyTexts.optional().describe(
    "comma-separated earlier values of ENCRYPTION_KEY; needed for one start after you replaced the key",
  ),
  ENCRYPTION_KEY_PREVIOUS_FILE: SecretFile.pipe(EncryptionKeyTexts)
    .optional()
    .describe("file with these keys, instead of ENCRYPTION_KEY_PREVIOUS"),
  ACCOUNT_HEADERS: HeaderNames.default(["x-service-account", "x-checkly-account"]).describe(
    "comma-separated names of headers that can contain the account id",
  ),
  EGRESS_ADDRESSES: EgressAddresses.default(new Map()).describe(
    "addresses that checks come from, for allow lists of targets: comma-separated location=address, such as eu-central-1=192.0.2.7,eu-central-1=2001:db8::/64. /v1/static-ips returns them",
  ),
  LOG_LEVEL: z
    .preprocess(
      (given) => (typeof given === "string" ? given.toUpperCase() : given),
      z.enum(logLevels, `must be one of ${logLevels.join(", ")}`),
    )
    .default("INFO")
    .describe(`lowest level in the log: ${logLevels.join(", ")}`),
  RATE_LIMIT_STANDARD: RateLimitText.default({ requests: 600, windowSeconds: 60 }).describe("requests/seconds per key"),
  RATE_LIMIT_PAGES: RateLimitText.default({ requests: 600, windowSeconds: 60 }).describe(
    "requests/seconds per person for pages of the console; forms count as `RATE_LIMIT_STANDARD`",
  ),
  RATE_LIMIT_RESULTS: RateLimitText.default({ requests: 60, windowSeconds: 60 }).describe(
    "requests/seconds per key for GET /v2/check-results",
  ),
  RATE_LIMIT_ANALYTICS: RateLimitText.default({ requests: 30, windowSeconds: 60 }).describe("requests/seconds per key for analytics"),
  RATE_LIMIT_ALERT_NOTIFICATIONS: RateLimitText.default({ requests: 5, windowSeconds: 10 }).describe(
    "requests/seconds per key for alert notifications",
  ),
  RATE_LIMIT_DASHBOARDS: RateLimitText.default({ requests: 20, windowSeconds: 20 }).describe(
    "requests/seconds per key for GET of dashboards",
  ),
  RATE_LIMIT_LOCATION_METRICS: RateLimitText.default({ requests: 300, windowSeconds: 86_400 }).describe(
    "requests/seconds per key for the metrics of private locations",
  ),
  RATE_LIMIT_TRIGGERS: RateLimitText.default({ requests: 10, windowSeconds: 60 }).describe("requests/seconds per trigger URL"),
  RATE_LIMIT_PINGS: RateLimitText.default({ requests: 60, windowSeconds: 60 }).describe("requests/seconds per heartbeat"),
  RATE_LIMIT_UNKNOWN_PINGS: RateLimitText.default({ requests: 60, windowSeconds: 60 }).describe(
    "requests/seconds per remote address for pings of unknown heartbeats; above it, such pings get 429",
  ),
  RATE_LIMIT_WRONG_KEYS: RateLimitText.default({ requests: 60, windowSeconds: 60 }).describe(
    "requests/seconds per remote address with unknown keys or trigger tokens; above it, such requests get 429. Requests with valid keys do not count",
  ),
  RATE_LIMIT_FORMS: RateLimitText.default({ requests: 600, windowSeconds: 60 }).describe(
    "requests/seconds per remote address for forms of people who are not signed in (sign-in, joining an account, subscribing to a status page). Behind a proxy that TRUSTED_PROXIES does not list, all people have the proxy's address",
  ),
  MAX_BODY_MEGABYTES: WholeNumber(8, 65_536)
    .default(64)
    .describe(
      "megabytes (MiB) of memory for request bodies at the same time, decompressed. One remote address can use half of it, one key or person a quarter, all clients without a valid key together an eighth",
    ),
  MAX_CONNECTIONS: WholeNumber(10, 1_000_000).default(10_000).describe("maximum number of open connections; further ones are closed"),
  MAX_CONNECTIONS_PER_ADDRESS: WholeNumber(10, 1_000_000)
    .default(5_000)
    .describe("maximum number of open connections from one remote address, which can be a proxy for all users"),
  ...probeEnv,
  LEASE_SECONDS: seconds(5, 600, 30).describe("seconds without a heartbeat after which another agent gets the job"),
  HEARTBEAT_SECONDS: seconds(1, 60, 10).describe("seconds between an agent's heartbeats; at most half of LEASE_SECONDS"),
  AGENT_POLL_WAIT_SECONDS: seconds(1, 25, 25).describe("seconds that a poll of an agent waits for a job"),
  AGENT_CPU_PERCENT: WholeNumber(1, 1000)
    .default(50)
    .describe(
      "percent of one processor that the control plane spends on the results of one agent; all agents of one location key together get 1.5 times that. Above it, agents wait",
    ),
  QUEUE_WAIT_SECONDS: seconds(10, 86_400, 360).describe(
    "seconds that a run waits for an agent before it is recorded as missed; a scheduled run waits at most its period",
  ),
  RESULTS_KEEP_DAYS: WholeNumber(1, 3650).default(30).describe("days that Outpost keeps single results"),
  DETAILS_KEEP_DAYS: WholeNumber(1, 3650)
    .optional()
    .describe("days that Outpost keeps details and files of results, if shorter than the results themselves; RESULTS_KEEP_DAYS if not set"),
  ROLLUPS_KEEP_DAYS: WholeNumber(1, 3650)
    .default(760)
    .describe("days that Outpost keeps hourly and daily aggregates, for analytics of older data; at least RESULTS_KEEP_DAYS"),
  AUDIT_KEEP_DAYS: WholeNumber(1, 3650).default(365).describe("days that Outpost keeps entries of the audit log"),
  ...accessLogEnv,
  AUDIT_OUTPUT: z
    .string()
    .trim()
    .regex(/^(stdout|\/.+)$/, "must be stdout, or the whole path of a file")
    .optional()
    .describe(
      "where the control plane also writes each entry of the audit log as a JSON line, for a log collector: stdout, or a file; nowhere if not set",
    ),
  SECRETS_READABLE: z
    .enum(["off", "write"], "must be off or write")
    .default("off")
    .describe(
      "who can read secrets over REST. off: nobody. write: keys with READ_WRITE and above can read locked values, passwords, Authorization headers and secrets of channels; clients that compare them with the values they sent need this. Nobody can read values of secret variables",
    ),
  ...proxyEnv({
    https: "proxy for https requests of the control plane: alert channels, OpenID, S3, the watchdog, a model. The proxy resolves the names",
    http: "proxy for http requests of the control plane",
  }),
  ...artifactEnv,
  ...channelEnv,
  ...oidcEnv,
  ...modelEnv,
  ...telemetryEnv,
  ERROR_EVENTS_KEEP_DAYS: WholeNumber(1, 3650)
    .default(30)
    .describe("days that Outpost keeps error reports of agents after their last occurrence"),
});

export interface ControlPlaneConfig extends KeySettings, TraceSettings {
  /** Of SQLite: what survives a power cut. */
  readonly synchronous: "full" | "normal";
  readonly host: string;
  readonly port: number;
  /** Null: none. */
  readonly probePort: number | null;
  readonly tls: TlsFiles | null;
  readonly publicUrl: string | null;
  /** Without a slash at its end. */
  readonly pingUrl: string | null;
  /** In CIDR form. */
  readonly trustedProxies: readonly string[];
  readonly pageDomainsTrusted: boolean;
  readonly pageDomainDns: readonly string[];
  readonly metricsToken: Secret | null;
  /** Null: nobody is told. */
  readonly watchdog: WatchdogSettings | null;
  readonly accountHeaders: readonly string[];
  readonly logLevel: LogLevel;
  /** By the operations' rate limit class. */
  readonly rateLimits: Readonly<Record<string, RateLimit>>;
  /** That bodies of requests may hold in memory, in all. */
  readonly bodyBytes: number;
  readonly connections: ConnectionLimits;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly pollWaitMs: number;
  readonly agentCpuPercent: number;
  readonly queueWaitMs: number;
  readonly resultsKeepMs: number;
  /** Not more than `resultsKeepMs`. */
  readonly detailsKeepMs: number;
  /** Not less than `resultsKeepMs`. */
  readonly rollupsKeepMs: number;
  readonly auditKeepMs: number;
  /** By location. */
  readonly egressAddresses: ReadonlyMap<string, readonly string[]>;
  /** Whoever may write also reads secrets. */
  readonly secretsReadable: boolean;
  readonly accessLog: AccessLogShare;
  /** `stdout`, or a file; null: nowhere. */
  readonly auditOutput: string | null;
  /** On the way to all that is called over HTTP. */
  readonly proxies: ProxySettings;
  readonly artifactStore: ArtifactStoreSettings;
  readonly channels: ChannelSettings;
  readonly oidc: OidcSettings | null;
  /** That root-cause analyses ask; null: none. */
  readonly rootCauseModel: ModelSettings | null;
  readonly errorEventsKeepMs: number;
  /** Null: nothing is told. */
  readonly collector: TelemetrySettings | null;
}

/** @throws {ConfigError} naming every bad variable at once, and never a value */
export function readControlPlaneConfig(env: Env): ControlPlaneConfig {
  const e = readEnv("control plane", CheckedEnv, withLowerCaseProxies(env));
  return Object.freeze({
    dataDir: e.DATA_DIR,
    synchronous: e.SQLITE_SYNCHRONOUS,
    host: e.HOST,
    port: e.PORT,
    probePort: e.PROBE_PORT ?? null,
    tls: tlsFiles(e),
    publicUrl: e.PUBLIC_URL?.replace(/\/+$/, "") ?? null,
    pingUrl: e.PING_URL?.replace(/\/+$/, "") ?? null,
    ...traceSettings(e),
    trustedProxies: e.TRUSTED_PROXIES,
    pageDomainsTrusted: e.PAGE_DOMAINS === "trusted",
    pageDomainDns: e.PAGE_DOMAIN_DNS,
    ...secretsOf(e),
    watchdog: watchdogSettings(e),
    accountHeaders: e.ACCOUNT_HEADERS,
    logLevel: e.LOG_LEVEL,
    rateLimits: {
      standard: e.RATE_LIMIT_STANDARD,
      pages: e.RATE_LIMIT_PAGES,
      results: e.RATE_LIMIT_RESULTS,
      analytics: e.RATE_LIMIT_ANALYTICS,
      "alert-notifications": e.RATE_LIMIT_ALERT_NOTIFICATIONS,
      dashboards: e.RATE_LIMIT_DASHBOARDS,
      "location-metrics": e.RATE_LIMIT_LOCATION_METRICS,
      triggers: e.RATE_LIMIT_TRIGGERS,
      pings: e.RATE_LIMIT_PINGS,
      "unknown-pings": e.RATE_LIMIT_UNKNOWN_PINGS,
      "wrong-keys": e.RATE_LIMIT_WRONG_KEYS,
      forms: e.RATE_LIMIT_FORMS,
    },
    bodyBytes: e.MAX_BODY_MEGABYTES * 1_048_576,
    connections: { total: e.MAX_CONNECTIONS, address: e.MAX_CONNECTIONS_PER_ADDRESS },
    leaseMs: e.LEASE_SECONDS * 1000,
    heartbeatMs: e.HEARTBEAT_SECONDS * 1000,
    pollWaitMs: e.AGENT_POLL_WAIT_SECONDS * 1000,
    agentCpuPercent: e.AGENT_CPU_PERCENT,
    queueWaitMs: e.QUEUE_WAIT_SECONDS * 1000,
    resultsKeepMs: e.RESULTS_KEEP_DAYS * 86_400_000,
    detailsKeepMs: Math.min(e.DETAILS_KEEP_DAYS ?? e.RESULTS_KEEP_DAYS, e.RESULTS_KEEP_DAYS) * 86_400_000,
    rollupsKeepMs: Math.max(e.ROLLUPS_KEEP_DAYS, e.RESULTS_KEEP_DAYS) * 86_400_000,
    auditKeepMs: e.AUDIT_KEEP_DAYS * 86_400_000,
    egressAddresses: e.EGRESS_ADDRESSES,
    secretsReadable: e.SECRETS_READABLE === "write",
    accessLog: e.ACCESS_LOG,
    auditOutput: e.AUDIT_OUTPUT ?? null,
    proxies: proxySettings(e),
    artifactStore: artifactStoreSettings(e),
    channels: channelSettings(e),
    oidc: oidcSettings(e),
    rootCauseModel: modelSettings(e),
    errorEventsKeepMs: e.ERROR_EVENTS_KEEP_DAYS * 86_400_000,
    collector: telemetrySettings(e, "outpost-control-plane"),
  });
}

/** Each may stand in a file. */
function secretsOf(
  e: z.output<typeof ControlPlaneEnv>,
): Pick<ControlPlaneConfig, "databaseUrl" | "metricsToken" | "keyPepper" | "encryptionKey" | "previousEncryptionKeys"> {
  return {
    databaseUrl: e.DATABASE_URL ?? e.DATABASE_URL_FILE ?? null,
    metricsToken: e.METRICS_TOKEN ?? null,
    keyPepper: e.KEY_PEPPER ?? e.KEY_PEPPER_FILE ?? null,
    encryptionKey: e.ENCRYPTION_KEY ?? e.ENCRYPTION_KEY_FILE ?? null,
    previousEncryptionKeys: e.ENCRYPTION_KEY_PREVIOUS ?? e.ENCRYPTION_KEY_PREVIOUS_FILE ?? [],
  };
}

const CheckedEnv = ControlPlaneEnv.refine((e) => e.HEARTBEAT_SECONDS * 2 <= e.LEASE_SECONDS, {
  path: ["HEARTBEAT_SECONDS"],
  message: "must be at most half of LEASE_SECONDS", // one lost heartbeat must not cost a lease
})
  .refine((e) => e.PROBE_PORT === undefined || e.PROBE_PORT === 0 || e.PROBE_PORT !== e.PORT, {
    path: ["PROBE_PORT"],
    message: "must not be PORT",
  })
  .refine((e) => e.WATCHDOG_URL === undefined || e.WATCHDOG_URL_FILE === undefined, twice("WATCHDOG_URL"))
  .refine((e) => e.KEY_PEPPER === undefined || e.KEY_PEPPER_FILE === undefined, twice("KEY_PEPPER"))
  .refine((e) => e.ENCRYPTION_KEY === undefined || e.ENCRYPTION_KEY_FILE === undefined, twice("ENCRYPTION_KEY"))
  .refine((e) => e.ENCRYPTION_KEY_PREVIOUS === undefined || e.ENCRYPTION_KEY_PREVIOUS_FILE === undefined, twice("ENCRYPTION_KEY_PREVIOUS"))
  .refine((e) => e.DATABASE_URL === undefined || e.DATABASE_URL_FILE === undefined, twice("DATABASE_URL"))
  .superRefine((e, context) => {
    for (const { name, message } of [
      ...tlsProblems(e),
      ...artifactProblems(e),
      ...channelProblems(e),
      ...oidcProblems(e),
      ...modelProblems(e),
      ...telemetryProblems(e),
      ...traceViewerProblems(e),
    ])
      context.addIssue({ code: "custom", path: [name], message });
  });

function twice(name: string): { readonly path: string[]; readonly message: string } {
  return { path: [`${name}_FILE`], message: `and ${name} are both set; keep one of the two` };
}
