import { isIP } from "node:net";
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { type Env, readEnv, Switch, WholeNumber } from "#daemon/env.ts";
import { type LogLevel, logLevels } from "#daemon/logger.ts";
import { type ProxySettings, proxyEnv, proxySettings, withLowerCaseProxies } from "#daemon/proxy.ts";
import { Secret } from "#daemon/secret.ts";
import { commaList } from "#domain/comma-list.ts";
import { browserSeats, multiStepSeats } from "./host/script-seats.ts";
import { type WantedLevel, type WantedWall, wantedLevels, wantedWalls } from "./sandbox/wanted-level.ts";
import { type SecretSources, secretSources } from "./scripts/agent-secrets.ts";

const HttpUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });
const CidrList = z
  .string()
  .default("")
  .transform(commaList)
  .refine((list) => list.every(isCidr), "must be a comma list of networks, like 10.0.0.0/8,fd00::/8");

const RequiredKey = z.preprocess(
  (key) => key ?? "",
  z.string().min(1, "is required: the key of the location (pl_…), here or in the file that API_KEY_FILE names"),
);

/** The agent's whole environment: meaning, unit, bounds and default of every variable. The documentation is made from it. */
export const AgentEnv = z.object({
  API_KEY: z.string().optional().describe("key of the private location (`pl_…`); this or API_KEY_FILE is required"),
  API_KEY_FILE: z
    .string()
    .optional()
    .describe(
      "file that holds the key, not open to every user; wins over API_KEY; read again when the key is refused, so keys rotate without a restart",
    ),
  API_URL: HttpUrl.describe("base URL of the control plane"),
  JOB_CONCURRENCY: WholeNumber(1, 1000).default(10).describe("checks run at the same time, 1 to 1000"),
  LOG_LEVEL: z.enum(logLevels).default("INFO").describe("DEBUG, LOG, INFO, WARN or ERROR"),
  AGENT_HEALTH_PORT: WholeNumber(0, 65_535).default(8081).describe("port of the probes and /metrics; 0 takes a free one"),
  AGENT_HEALTH_HOST: z
    .string()
    .default("::")
    .describe("address of that port; `::` is every address, as probes come from outside a container"),
  CONTACT_ALARM_MINUTES: WholeNumber(1, 1440)
    .default(5)
    .describe("minutes without contact to the control plane after which CONTACT_ALARM_* tell"),
  CONTACT_ALARM_URL: HttpUrl.optional().describe(
    "webhook that is told by POST, as JSON with a `text`, when contact is lost and when it is back; none when absent",
  ),
  CONTACT_ALARM_COMMAND: z
    .string()
    .refine(isAbsolute, "must be the path of a program, from /")
    .optional()
    .describe("program that is started then, without a shell, with the word contact_lost or contact_back; none when absent"),
  EXTERNAL_OBSERVABILITY: Switch.default(true).describe("off: not one report about the agent itself leaves it"),
  ...proxyEnv({
    https: "proxy for an https API_URL; management traffic only",
    http: "proxy for an http API_URL; management traffic only",
  }),
  USE_OS_DNS_RESOLVER: Switch.default(false).describe("resolve names like other programs of the host (getaddrinfo)"),
  NODE_EXTRA_CA_CERTS: z.string().optional().describe("file or folder of further CAs in PEM or DER, for management traffic and checks"),
  DATA_DIR: z.string().default("./data").describe("folder for everything that is kept"),
  OUTBOX_DIR: z.string().optional().describe("folder for results not yet delivered; DATA_DIR/outbox by default"),
  OUTBOX_MAX_MB: WholeNumber(1, 1_048_576).default(1024).describe("size limit of the outbox, MB"),
  OUTBOX_MAX_HOURS: WholeNumber(1, 8760).default(24).describe("age limit of the outbox, hours"),
  ARTIFACTS_MAX_MB: WholeNumber(0, 1_048_576)
    .default(512)
    .describe("size limit of the large files of results that wait for their upload, MB; 0 keeps none"),
  RUNTIMES_DIR: z.string().optional().describe("folder of the runtimes that scripts run on; DATA_DIR/runtimes by default"),
  SECRETS_DIR: z
    .string()
    .optional()
    .describe(
      "folder of secrets that stay with the agent, one file for each: `db-password` is SERVICE_SECRET_DB_PASSWORD in checks; not open to every user, read again when it changed; `db-password.for` says for which checks, groups or tags it is",
    ),
  SCRIPT_CONCURRENCY: WholeNumber(1, 64).default(4).describe("scripts of checks run at the same time, 1 to 64"),
  SCRIPT_SANDBOX: z
    .enum(wantedLevels)
    .default("auto")
    .describe(
      "how scripts are kept apart: auto takes the best that the machine can do, require-1 to require-3 refuse scripts where it is less, off refuses them",
    ),
  SCRIPT_EGRESS: z
    .enum(wantedWalls)
    .default("auto")
    .describe(
      "who holds scripts to TARGET_* and the like: auto takes the kernel where it can, else Node.js alone; require refuses scripts there",
    ),
  BROWSER_CONCURRENCY: WholeNumber(0, 64)
    .optional()
    .describe("browser checks run at the same time, 0 to 64; by cores and memory where unset (900 MB each); 0: this agent runs none"),
  MULTI_STEP_CONCURRENCY: WholeNumber(0, 64)
    .optional()
    .describe("multistep checks run at the same time, 0 to 64; by cores and memory where unset (450 MB each); 0: this agent runs none"),
  BROWSER_WARM: WholeNumber(0, 8)
    .default(1)
    .describe("Playwright processes that wait for a job, for each type that ran lately; 0 saves some 300 MB each"),
  BROWSER_MEMORY_MB: WholeNumber(200, 65_536)
    .default(900)
    .describe("memory of one run of a browser or multistep check, MB; above it the run ends"),
  BROWSER_PATH: z.string().optional().describe("another Chromium than the one that is found"),
  BROWSER_EGRESS: z
    .enum(wantedWalls)
    .default("auto")
    .describe("who holds browser and multistep checks to TARGET_* and the like: as SCRIPT_EGRESS"),
  BROWSER_SCREENSHOTS: Switch.default(true).describe("off: no screenshot is kept, as one may show what no scrubbing finds"),
  SUITE_CONCURRENCY: WholeNumber(0, 16)
    .default(1)
    .describe("Playwright suites run at the same time, 0 to 16; they need a runtime and what browser checks need; 0: this agent runs none"),
  SUITE_WORKERS: WholeNumber(1, 16).default(2).describe("workers of Playwright in one suite; a suite that asks for more gets these"),
  SUITE_MEMORY_MB: WholeNumber(500, 65_536).default(2048).describe("memory of one suite with its browsers, MB; above it the run ends"),
  BUNDLE_CACHE_MB: WholeNumber(1, 1_048_576).default(512).describe("code bundles of suites that are kept for later runs, MB"),
  DEPENDENCY_CACHE_MB: WholeNumber(1, 1_048_576).default(2048).describe("installed packages of suites that are kept for later runs, MB"),
  NPM_REGISTRY: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("registry that suites install from, where their own settings name none; npm's where unset"),
  SHUTDOWN_GRACE_SECONDS: WholeNumber(1, 3600).default(25).describe("time from SIGTERM to the end of the process, seconds"),
  EVIDENCE: Switch.default(true).describe(
    "off: no traceroute, transcripts and capture are added to results where the network failed a check",
  ),
  TARGET_ALLOW_CIDR: CidrList.describe("networks that checks may always reach; wins over TARGET_DENY_CIDR"),
  TARGET_DENY_CIDR: CidrList.describe("networks that checks may never reach, beside link-local and cloud metadata addresses"),
  TARGET_MODE: z.enum(["default", "public-only"]).default("default").describe("public-only: checks reach no private network"),
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
  readonly shutdownGraceMs: number;
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
  const read = readEnv("agent", schema, withLowerCaseProxies(env));
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
    dataFolder: read.DATA_DIR,
    runtimesFolder: read.RUNTIMES_DIR ?? join(read.DATA_DIR, "runtimes"),
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
    secrets: secretSources(env, read.SECRETS_DIR ?? null),
    outbox: {
      folder: read.OUTBOX_DIR ?? join(read.DATA_DIR, "outbox"),
      limitBytes: read.OUTBOX_MAX_MB * 1024 * 1024,
      limitMs: read.OUTBOX_MAX_HOURS * 3_600_000,
    },
    artifactLimitBytes: read.ARTIFACTS_MAX_MB * 1024 * 1024,
    shutdownGraceMs: read.SHUTDOWN_GRACE_SECONDS * 1000,
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
