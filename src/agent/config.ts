import { isIP } from "node:net";
import { isAbsolute, join, resolve } from "node:path";
import { z } from "zod";
import { type Env, readEnv, Switch, WholeNumber } from "#daemon/env.ts";
import { type LogLevel, logLevels } from "#daemon/logger.ts";
import { type ProxySettings, proxyEnv, proxySettings, withLowerCaseProxies } from "#daemon/proxy.ts";
import { Secret } from "#daemon/secret.ts";
import { type TelemetrySettings, telemetryEnv, telemetryProblems, telemetrySettings } from "#daemon/telemetry/settings.ts";
import { commaList } from "#domain/comma-list.ts";
import { type AgenticConfig, agenticConfig, agenticEnv } from "./host/model-settings.ts";
import { browserSeats, multiStepSeats } from "./host/script-seats.ts";
import { type WantedLevel, type WantedWall, wantedLevels, wantedWalls } from "./sandbox/wanted-level.ts";
import { type SecretSources, secretSources } from "./scripts/agent-secrets.ts";

const HttpUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });
const CidrList = z
  .string()
  .default("")
  .transform(commaList)
  .refine((list) => list.every(isCidr), "must be a comma list of networks, like 10.0.0.0/8,fd00::/8");

const HostList = z
  .string()
  .default("")
  .transform((text) => commaList(text.toLowerCase()))
  .refine(
    (list) => list.every((one) => /^(\*|\.?[a-z\d]([\w.-]*[a-z\d])?|\[?[\da-f:.]+\]?)$/.test(one)),
    "must be a comma list of hosts, .domains or *",
  );

const RequiredKey = z.preprocess(
  (key) => key ?? "",
  z.string().min(1, "is required: the key of the location (pl_…), here or in the file that API_KEY_FILE names"),
);

/** The agent's whole environment: meaning, unit, bounds and default of every variable. The documentation is made from it. */
export const AgentEnv = z.object({
  API_KEY: z.string().optional().describe("key of the private location (`pl_…`); set this or API_KEY_FILE"),
  API_KEY_FILE: z
    .string()
    .optional()
    .describe(
      "file with the key, not readable for every user; takes precedence over API_KEY. The agent reads the file again when the key is refused, so you can replace a key without a restart",
    ),
  API_URL: HttpUrl.describe("base URL of the control plane"),
  JOB_CONCURRENCY: WholeNumber(1, 1000).default(10).describe("how many checks run at the same time, 1 to 1000"),
  LOG_LEVEL: z.enum(logLevels).default("INFO").describe("lowest level in the log: DEBUG, LOG, INFO, WARN or ERROR"),
  AGENT_HEALTH_PORT: WholeNumber(0, 65_535).default(8081).describe("port of the probes and /metrics; 0 uses a free port"),
  AGENT_HEALTH_HOST: z
    .string()
    .default("::")
    .describe("address of that port; `::` listens on every address, because probes come from outside a container"),
  CONTACT_ALARM_MINUTES: WholeNumber(1, 1440)
    .default(5)
    .describe("minutes without contact to the control plane before the agent uses CONTACT_ALARM_*"),
  CONTACT_ALARM_URL: HttpUrl.optional().describe(
    "webhook that gets a POST with JSON and a `text` when contact is lost and when it is back; none if not set",
  ),
  CONTACT_ALARM_COMMAND: z
    .string()
    .refine(isAbsolute, "must be the path of a program, from /")
    .optional()
    .describe(
      "program that the agent starts in both cases, without a shell; its argument is contact_lost or contact_back; none if not set",
    ),
  EXTERNAL_OBSERVABILITY: Switch.default(true).describe("off: the agent sends no reports about its own errors"),
  ...proxyEnv({
    https: "proxy for an https API_URL; management traffic only",
    http: "proxy for an http API_URL; management traffic only",
  }),
  USE_OS_DNS_RESOLVER: Switch.default(false).describe("on: resolve names like other programs of the host (getaddrinfo)"),
  NODE_EXTRA_CA_CERTS: z.string().optional().describe("file or folder of additional CAs in PEM or DER, for management traffic and checks"),
  DATA_DIR: z.string().default("./data").describe("folder for all data of the agent"),
  OUTBOX_DIR: z.string().optional().describe("folder for results that the control plane does not have yet; DATA_DIR/outbox by default"),
  OUTBOX_MAX_MB: WholeNumber(1, 1_048_576).default(1024).describe("maximum size of the outbox, MB"),
  OUTBOX_MAX_HOURS: WholeNumber(1, 8760).default(24).describe("maximum age of results in the outbox, hours"),
  ARTIFACTS_MAX_MB: WholeNumber(0, 1_048_576)
    .default(512)
    .describe("maximum size of large result files that wait for upload, MB; 0 keeps none"),
  RUNTIMES_DIR: z.string().optional().describe("folder of the runtimes for scripts; DATA_DIR/runtimes by default"),
  SECRETS_DIR: z
    .string()
    .optional()
    .describe(
      "folder of secrets that stay with the agent, one file per secret, not readable for every user. `db-password` becomes SERVICE_SECRET_DB_PASSWORD in checks. `db-password.for` lists the checks, groups or tags that may use it. The agent reads the folder again when it changes",
    ),
  SCRIPT_CONCURRENCY: WholeNumber(1, 64).default(4).describe("how many scripts of checks run at the same time, 1 to 64"),
  SCRIPT_SANDBOX: z
    .enum(wantedLevels)
    .default("auto")
    .describe(
      "isolation of scripts: auto uses the highest level that the machine supports; require-1 to require-3 refuse scripts below this level; off refuses all scripts",
    ),
  SCRIPT_EGRESS: z
    .enum(wantedWalls)
    .default("auto")
    .describe(
      "what enforces TARGET_* and the other egress rules on scripts: auto uses the kernel, or else Node.js; require refuses scripts if the kernel cannot do it",
    ),
  BROWSER_CONCURRENCY: WholeNumber(0, 64)
    .optional()
    .describe(
      "how many browser checks run at the same time, 0 to 64; 0 turns them off. By default, as many as cores and memory allow (900 MB each)",
    ),
  MULTI_STEP_CONCURRENCY: WholeNumber(0, 64)
    .optional()
    .describe(
      "how many multistep checks run at the same time, 0 to 64; 0 turns them off. By default, as many as cores and memory allow (450 MB each)",
    ),
  BROWSER_WARM: WholeNumber(0, 8)
    .default(1)
    .describe("how many Playwright processes wait for a job, for each check type that ran recently; 0 saves about 300 MB each"),
  BROWSER_MEMORY_MB: WholeNumber(200, 65_536)
    .default(900)
    .describe("maximum memory of one run of a browser or multistep check, MB; above it, the run ends"),
  BROWSER_PATH: z.string().optional().describe("path of Chromium, if the agent does not find it or should use another one"),
  BROWSER_EGRESS: z.enum(wantedWalls).default("auto").describe("the same as SCRIPT_EGRESS, for browser and multistep checks"),
  BROWSER_SCREENSHOTS: Switch.default(true).describe("off: the agent keeps no screenshots; it cannot mask secrets in images and canvases"),
  SUITE_CONCURRENCY: WholeNumber(0, 16)
    .default(1)
    .describe(
      "how many Playwright suites run at the same time, 0 to 16; 0 turns them off. Suites need a runtime, and the same as browser checks",
    ),
  SUITE_WORKERS: WholeNumber(1, 16).default(2).describe("maximum number of Playwright workers in one suite"),
  SUITE_MEMORY_MB: WholeNumber(500, 65_536)
    .default(2048)
    .describe("maximum memory of one suite with its browsers, MB; above it, the run ends"),
  BUNDLE_CACHE_MB: WholeNumber(1, 1_048_576).default(512).describe("size of the cache for code bundles of suites, MB"),
  DEPENDENCY_CACHE_MB: WholeNumber(1, 1_048_576).default(2048).describe("size of the cache for installed packages of suites, MB"),
  NPM_REGISTRY: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("registry for suites whose own settings name none; npm's by default"),
  ...agenticEnv,
  SHUTDOWN_GRACE_SECONDS: WholeNumber(1, 3600).default(25).describe("time between SIGTERM and the end of the process, seconds"),
  EVIDENCE: Switch.default(true).describe(
    "off: after a network failure, the agent adds no traceroute, transcripts and packet capture to the result",
  ),
  TARGET_ALLOW_CIDR: CidrList.describe("networks that checks may always reach; takes precedence over TARGET_DENY_CIDR"),
  TARGET_DENY_CIDR: CidrList.describe("networks that checks may never reach, in addition to link-local and cloud metadata addresses"),
  TARGET_MODE: z.enum(["default", "public-only"]).default("default").describe("public-only: checks cannot reach private networks"),
  ...telemetryEnv,
  OUTPOST_TRACE_TARGETS: HostList.describe(
    "hosts to which API and URL checks send a `traceparent`, so that results link to the target's own traces. A comma-separated list of names, .domains with their subdomains, or *; none if empty",
  ),
});

/** Where the location's key comes from. */
export type KeySource =
  | { readonly from: "value"; readonly key: Secret }
  | { readonly from: "file"; readonly path: string /** API_KEY is set too, and does not count. */; readonly hidesValue: boolean };

/** Whom an agent without contact tells. */
export interface ContactAlarmSettings {
  readonly afterMs: number;
  /** A token may be in it. */
  readonly url: Secret | null;
  /** Path of a program. */
  readonly command: string | null;
}

export interface AgentConfig {
  readonly key: KeySource;
  readonly apiUrl: URL;
  readonly jobConcurrency: number;
  readonly logLevel: LogLevel;
  readonly health: { readonly port: number; readonly host: string };
  readonly reportsErrors: boolean;
  /** Null: nobody is told. */
  readonly contactAlarm: ContactAlarmSettings | null;
  /** Of the management traffic. */
  readonly proxy: ProxySettings;
  readonly usesOsResolver: boolean;
  readonly keepsEvidence: boolean;
  readonly extraCaPath: string | null;
  readonly dataFolder: string;
  readonly runtimesFolder: string;
  readonly scripts: { readonly concurrency: number; readonly sandbox: WantedLevel; readonly egress: WantedWall };
  readonly playwright: PlaywrightConfig;
  readonly secrets: SecretSources;
  readonly outbox: { readonly folder: string; readonly limitBytes: number; readonly limitMs: number };
  /** 0: none are kept. */
  readonly artifactLimitBytes: number;
  readonly suites: SuiteConfig;
  readonly agentic: AgenticConfig;
  readonly shutdownGraceMs: number;
  /** Null: nothing is told. */
  readonly collector: TelemetrySettings | null;
  /** Hosts, `.domains` or `*`, in lower case. */
  readonly tracedHosts: readonly string[];
  readonly targets: {
    readonly allowCidrs: readonly string[];
    readonly denyCidrs: readonly string[];
    readonly mode: "default" | "public-only";
  };
}

/**
 * Reads the agent's environment. The proxy variables are taken in lower case too, which wins, as in other programs.
 *
 * @throws {ConfigError} naming every bad variable at once, and never a value
 */
export function readAgentConfig(env: Env): AgentConfig {
  const hasFile = env["API_KEY_FILE"] !== undefined && env["API_KEY_FILE"] !== "";
  const schema = hasFile ? AgentEnv : AgentEnv.extend({ API_KEY: RequiredKey });
  const checked = schema.superRefine((e, context) => {
    for (const { name, message } of telemetryProblems(e)) context.addIssue({ code: "custom", path: [name], message });
  });
  const read = readEnv("agent", checked, withLowerCaseProxies(env));
  const dataFolder = resolve(read.DATA_DIR); // programs of checks have folders of their own
  return {
    key: keySource(read),
    apiUrl: new URL(read.API_URL),
    jobConcurrency: read.JOB_CONCURRENCY,
    logLevel: read.LOG_LEVEL,
    health: { port: read.AGENT_HEALTH_PORT, host: read.AGENT_HEALTH_HOST },
    reportsErrors: read.EXTERNAL_OBSERVABILITY,
    contactAlarm: contactAlarmOf(read),
    proxy: proxySettings(read),
    usesOsResolver: read.USE_OS_DNS_RESOLVER,
    keepsEvidence: read.EVIDENCE,
    extraCaPath: read.NODE_EXTRA_CA_CERTS ?? null,
    dataFolder,
    runtimesFolder: resolve(read.RUNTIMES_DIR ?? join(dataFolder, "runtimes")),
    scripts: { concurrency: read.SCRIPT_CONCURRENCY, sandbox: read.SCRIPT_SANDBOX, egress: read.SCRIPT_EGRESS },
    playwright: playwrightConfig(read),
    suites: {
      concurrency: read.SUITE_CONCURRENCY,
      workers: read.SUITE_WORKERS,
      memoryMb: read.SUITE_MEMORY_MB,
      bundleCacheMb: read.BUNDLE_CACHE_MB,
      dependencyCacheMb: read.DEPENDENCY_CACHE_MB,
      registry: read.NPM_REGISTRY ?? null,
      path: env["PATH"] ?? "",
    },
    agentic: agenticConfig(read),
    secrets: secretSources(env, read.SECRETS_DIR ?? null),
    outbox: {
      folder: resolve(read.OUTBOX_DIR ?? join(dataFolder, "outbox")),
      limitBytes: read.OUTBOX_MAX_MB * 1024 * 1024,
      limitMs: read.OUTBOX_MAX_HOURS * 3_600_000,
    },
    artifactLimitBytes: read.ARTIFACTS_MAX_MB * 1024 * 1024,
    shutdownGraceMs: read.SHUTDOWN_GRACE_SECONDS * 1000,
    collector: telemetrySettings(read, "outpost-agent"),
    tracedHosts: read.OUTPOST_TRACE_TARGETS,
    targets: { allowCidrs: read.TARGET_ALLOW_CIDR, denyCidrs: read.TARGET_DENY_CIDR, mode: read.TARGET_MODE },
  };
}

export type AgentEnv = z.output<typeof AgentEnv>;

/** What runs suites. */
export interface SuiteConfig {
  /** Seats; 0: none are run. */
  readonly concurrency: number;
  readonly workers: number;
  readonly memoryMb: number;
  readonly bundleCacheMb: number;
  readonly dependencyCacheMb: number;
  readonly registry: string | null;
  /** Where package managers are. */
  readonly path: string;
}

/** What runs browser and multistep checks. */
export interface PlaywrightConfig {
  /** Seats; 0: none are run. */
  readonly browserConcurrency: number;
  readonly multiStepConcurrency: number;
  readonly warm: number;
  /** Of one run's processes together. */
  readonly memoryMb: number;
  /** Null: the one that is found. */
  readonly browserPath: string | null;
  readonly wantedWall: WantedWall;
  readonly hasScreenshots: boolean;
}

/** Also of `outpost run`. */
export function playwrightConfig(
  read: Pick<AgentEnv, (`BROWSER_${string}` & keyof AgentEnv) | "MULTI_STEP_CONCURRENCY">,
): PlaywrightConfig {
  return {
    browserConcurrency: read.BROWSER_CONCURRENCY ?? browserSeats(),
    multiStepConcurrency: read.MULTI_STEP_CONCURRENCY ?? multiStepSeats(),
    warm: read.BROWSER_WARM,
    memoryMb: read.BROWSER_MEMORY_MB,
    browserPath: read.BROWSER_PATH ?? null,
    wantedWall: read.BROWSER_EGRESS,
    hasScreenshots: read.BROWSER_SCREENSHOTS,
  };
}

function contactAlarmOf(env: AgentEnv): ContactAlarmSettings | null {
  const { CONTACT_ALARM_URL: url, CONTACT_ALARM_COMMAND: command = null, CONTACT_ALARM_MINUTES: minutes } = env;
  if (url === undefined && command === null) return null;
  return { afterMs: minutes * 60_000, url: secretOrNull(url), command };
}

function keySource(env: AgentEnv): KeySource {
  if (env.API_KEY_FILE !== undefined) return { from: "file", path: env.API_KEY_FILE, hidesValue: env.API_KEY !== undefined };
  return { from: "value", key: new Secret((env.API_KEY ?? "").trim()) }; // one of the two is there: the schema above asks for it
}

function secretOrNull(text: string | undefined): Secret | null {
  return text === undefined ? null : new Secret(text);
}

function isCidr(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}
