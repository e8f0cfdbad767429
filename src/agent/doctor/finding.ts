import type { Finding as FindingAbout } from "#daemon/finding.ts";

/** Everything that is examined, in the order of the report; docs/troubleshooting.md has a section for each. */
export const subjects = [
  "settings",
  "key",
  "CA bundle",
  "proxy",
  "DNS",
  "TCP",
  "TLS",
  "certificate",
  "session",
  "clock",
  "health port",
  "outbox",
  "memory",
  "open files",
  "ICMP",
  "capture",
  "browser",
  "suites",
  "telemetry",
  "agentic model",
] as const;
export type Subject = (typeof subjects)[number];

export type Finding = FindingAbout<Subject>;
