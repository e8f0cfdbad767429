import type { z } from "zod";
import { AgenticCheckResult, AgenticCheckSettings, agenticCheck } from "./agentic.ts";
import { ApiCheckResult, ApiCheckSettings, apiCheck } from "./api.ts";
import type { Assertion } from "./assertion.ts";
import { BrowserCheckResult, BrowserCheckSettings, browserCheck } from "./browser.ts";
import { DnsCheckResult, DnsCheckSettings, dnsCheck } from "./dns.ts";
import { GrpcCheckResult, GrpcCheckSettings, grpcCheck, maxGrpcTimeoutSeconds } from "./grpc.ts";
import { IcmpCheckResult, IcmpCheckSettings, icmpCheck } from "./icmp.ts";
import { MultiStepCheckResult, MultiStepCheckSettings, multiStepCheck } from "./multi-step.ts";
import { PlaywrightCheckResult, PlaywrightCheckSettings, playwrightCheck } from "./playwright.ts";
import { pageMetrics } from "./playwright-run.ts";
import { SslCheckResult, SslCheckSettings, sslCheck } from "./ssl.ts";
import { TcpCheckResult, TcpCheckSettings, tcpCheck } from "./tcp.ts";
import { TracerouteCheckResult, TracerouteCheckSettings, tracerouteCheck } from "./traceroute.ts";
import { UrlCheckSettings, urlCheck } from "./url.ts";

/** A script may take that long. */
export const scriptLimitMs = 240_000;
/** What an agent may take around it: to start Playwright, to collect what it wrote, and to end what does not end by itself. */
const aroundScriptMs = 30_000;

/** The tests of a suite may take that long, and before them the install of their packages that long. */
export const suiteLimitMs = 30 * 60_000;
export const installLimitMs = 5 * 60_000;
const aroundSuiteMs = 3 * 60_000;

const httpPhases = ["wait", "dns", "tcp", "tls", "firstByte", "download"] as const;

/**
 * Every check type that Outpost runs, once. Adding a type starts with a line here: `schemas` is what REST takes and answers,
 * `settings` what a runner gets, `result` the member of a stored result, `metrics` what analytics keep (ms, or the unit in the
 * name; at most six, and after them what is kept of pages alone).
 */
export const checkTypes = {
  API: {
    schemas: apiCheck,
    settings: ApiCheckSettings,
    result: ApiCheckResult,
    resultMember: "apiCheckResult",
    metrics: httpPhases,
    runLimitMs: 30_000,
  },
  URL: {
    schemas: urlCheck,
    settings: UrlCheckSettings,
    result: ApiCheckResult,
    resultMember: "apiCheckResult",
    metrics: httpPhases,
    runLimitMs: 30_000,
  },
  TCP: {
    schemas: tcpCheck,
    settings: TcpCheckSettings,
    result: TcpCheckResult,
    resultMember: "tcpCheckResult",
    metrics: ["dns", "connection", "data", "total"],
    runLimitMs: 30_000,
  },
  DNS: {
    schemas: dnsCheck,
    settings: DnsCheckSettings,
    result: DnsCheckResult,
    resultMember: "dnsCheckResult",
    metrics: ["total"],
    runLimitMs: 30_000,
  },
  ICMP: {
    schemas: icmpCheck,
    settings: IcmpCheckSettings,
    result: IcmpCheckResult,
    resultMember: "icmpCheckResult",
    metrics: ["packetLoss", "latencyMin", "latencyMax", "latencyAvg", "latencyStdDev"],
    runLimitMs: 30_000,
  },
  SSL: {
    schemas: sslCheck,
    settings: SslCheckSettings,
    result: SslCheckResult,
    resultMember: "sslCheckResult",
    metrics: ["handshakeTimeMs", "daysUntilExpiry", "tlsVersion", "keySizeBits", "baselineScore", "trustBits"],
    runLimitMs: 30_000,
  },
  GRPC: {
    schemas: grpcCheck,
    settings: GrpcCheckSettings,
    result: GrpcCheckResult,
    resultMember: "grpcCheckResult",
    metrics: ["dns", "tcp", "tls", "reflection", "firstByte", "download"],
    runLimitMs: maxGrpcTimeoutSeconds * 1_000 + 5_000, // its own timeout comes first
  },
  TRACEROUTE: {
    schemas: tracerouteCheck,
    settings: TracerouteCheckSettings,
    result: TracerouteCheckResult,
    resultMember: "tracerouteCheckResult",
    metrics: ["hopCount", "packetLoss", "latencyMin", "latencyMax", "latencyAvg", "latencyStdDev"],
    runLimitMs: 30_000,
  },
  MULTI_STEP: {
    schemas: multiStepCheck,
    settings: MultiStepCheckSettings,
    result: MultiStepCheckResult,
    resultMember: "multiStepCheckResult",
    metrics: [],
    runLimitMs: scriptLimitMs + aroundScriptMs,
  },
  PLAYWRIGHT: {
    schemas: playwrightCheck,
    settings: PlaywrightCheckSettings,
    result: PlaywrightCheckResult,
    resultMember: "playwrightCheckResult",
    metrics: [],
    runLimitMs: suiteLimitMs + installLimitMs + aroundSuiteMs,
  },
  BROWSER: {
    schemas: browserCheck,
    settings: BrowserCheckSettings,
    result: BrowserCheckResult,
    resultMember: "browserCheckResult",
    metrics: pageMetrics,
    runLimitMs: scriptLimitMs + aroundScriptMs,
  },
  AGENTIC: {
    schemas: agenticCheck,
    settings: AgenticCheckSettings,
    result: AgenticCheckResult,
    resultMember: "agenticCheckResult",
    metrics: [],
    runLimitMs: scriptLimitMs + aroundScriptMs,
  },
} as const satisfies Record<string, ProbeEntry | ScriptEntry>;

interface CheckTypeEntry {
  readonly schemas: { readonly title: string };
  readonly resultMember: string;
  readonly metrics: readonly string[];
  readonly runLimitMs: number;
}

/** Of a type that sends a request, which assertions judge. */
interface ProbeEntry extends CheckTypeEntry {
  readonly settings: z.ZodType<{ request: { assertions: readonly unknown[] } }>;
  readonly result: z.ZodType<{ assertions: readonly unknown[] | null; requestError: string | null }>;
}

/** Of a type whose check is a script, a project of them or a prompt, which judge themselves. */
interface ScriptEntry extends CheckTypeEntry {
  readonly settings: z.ZodType<{ shouldFail: boolean }>;
  readonly result: z.ZodType<{ errors: readonly unknown[] }>;
}

export type CheckType = keyof typeof checkTypes;
/** Types that send a request. */
export type ProbeType = { [T in CheckType]: SettingsOf<T> extends { readonly request: unknown } ? T : never }[CheckType];
/** Types whose check is a script, a project of them, or a prompt. */
export type ScriptType = Exclude<CheckType, ProbeType>;
/** Types whose check is one script. */
export type OneScriptType = { [T in ScriptType]: SettingsOf<T> extends { readonly script: unknown } ? T : never }[ScriptType];
/** Types whose runs are tests of Playwright. */
export type TestedType = { [T in ScriptType]: ResultOf<T> extends { readonly tests: unknown } ? T : never }[ScriptType];
/** Types whose check is a prompt. */
export type PromptType = { [T in ScriptType]: SettingsOf<T> extends { readonly prompt: unknown } ? T : never }[ScriptType];
export type SettingsOf<T extends CheckType> = z.output<(typeof checkTypes)[T]["settings"]>;
export type ResultOf<T extends CheckType> = z.output<(typeof checkTypes)[T]["result"]>;
/** Whether agents run checks of this type. Of the others a heartbeat has no runs, and every run of the rest is missed. */
export function isCheckType(name: string): name is CheckType {
  return Object.hasOwn(checkTypes, name);
}

/** What a check asserts of the answer to its request; a script asserts by itself. */
export function assertionsAsked(settings: SettingsOf<CheckType>): readonly Assertion[] {
  return "request" in settings ? settings.request.assertions : [];
}

/** Whether checks of a type are a script, a project of them or a prompt, and send no request of their own. */
export function isScriptType(type: CheckType): type is ScriptType {
  return !Object.hasOwn(checkTypes[type].settings.shape, "request");
}

/** Whether checks of a type are one script. */
export function isOneScriptType(type: CheckType): type is OneScriptType {
  return Object.hasOwn(checkTypes[type].settings.shape, "script");
}

/** Whether runs of a type are tests of Playwright. */
export function isTestedType(type: CheckType): type is TestedType {
  return Object.hasOwn(checkTypes[type].result.shape, "tests");
}

/** Whether checks of a type are a prompt. */
export function isPromptType(type: CheckType): type is PromptType {
  return Object.hasOwn(checkTypes[type].settings.shape, "prompt");
}
