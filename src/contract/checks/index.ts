import type { z } from "zod";
import { ApiCheckResult, ApiCheckSettings } from "./api.ts";
import { DnsCheckResult, DnsCheckSettings } from "./dns.ts";
import { IcmpCheckResult, IcmpCheckSettings } from "./icmp.ts";
import { SslCheckResult, SslCheckSettings } from "./ssl.ts";
import { TcpCheckResult, TcpCheckSettings } from "./tcp.ts";
import { UrlCheckSettings } from "./url.ts";

const httpPhases = ["wait", "dns", "tcp", "tls", "firstByte", "download"] as const;

/**
 * Every check type that Outpost runs, once. Adding a type starts with a line here: `settings` is what a runner gets, `result` the
 * member of a stored result, `metrics` what analytics keep (ms, or the unit in the name; at most six).
 */
export const checkTypes = {
  API: {
    settings: ApiCheckSettings,
    result: ApiCheckResult,
    resultMember: "apiCheckResult",
    metrics: httpPhases,
    runLimitMs: 30_000,
  },
  URL: {
    settings: UrlCheckSettings,
    result: ApiCheckResult,
    resultMember: "apiCheckResult",
    metrics: httpPhases,
    runLimitMs: 30_000,
  },
  TCP: {
    settings: TcpCheckSettings,
    result: TcpCheckResult,
    resultMember: "tcpCheckResult",
    metrics: ["dns", "connection", "data", "total"],
    runLimitMs: 30_000,
  },
  DNS: {
    settings: DnsCheckSettings,
    result: DnsCheckResult,
    resultMember: "dnsCheckResult",
    metrics: ["total"],
    runLimitMs: 30_000,
  },
  ICMP: {
    settings: IcmpCheckSettings,
    result: IcmpCheckResult,
    resultMember: "icmpCheckResult",
    metrics: ["packetLoss", "latencyMin", "latencyMax", "latencyAvg", "latencyStdDev"],
    runLimitMs: 30_000,
  },
  SSL: {
    settings: SslCheckSettings,
    result: SslCheckResult,
    resultMember: "sslCheckResult",
    metrics: ["handshakeTimeMs", "daysUntilExpiry", "tlsVersion", "keySizeBits", "baselineScore", "trustBits"],
    runLimitMs: 30_000,
  },
} as const satisfies Record<string, CheckTypeEntry>;

interface CheckTypeEntry {
  readonly settings: z.ZodType<{ request: { assertions: readonly unknown[] } }>;
  readonly result: z.ZodType<{ assertions: readonly unknown[] | null; requestError: string | null }>;
  readonly resultMember: string;
  readonly metrics: readonly string[];
  readonly runLimitMs: number;
}

export type CheckType = keyof typeof checkTypes;
export type SettingsOf<T extends CheckType> = z.output<(typeof checkTypes)[T]["settings"]>;
export type ResultOf<T extends CheckType> = z.output<(typeof checkTypes)[T]["result"]>;

export function isCheckType(name: string): name is CheckType {
  return Object.hasOwn(checkTypes, name);
}
