import type { Finding as FindingAbout } from "#daemon/finding.ts";

/** Everything that is examined, in the order of the report; docs/troubleshooting.md has a section for each. */
export const subjects = [
  "settings",
  "data folder",
  "database",
  "pepper",
  "encryption key",
  "forward proxy",
  "TLS files",
  "public URL",
  "mail",
  "OpenID",
  "artifacts",
  "root-cause model",
  "telemetry",
  "system clock",
  "agents",
] as const;
export type Subject = (typeof subjects)[number];

export type Finding = FindingAbout<Subject>;

/** What others told of the time: milliseconds by which this machine is ahead of them. */
export interface ClockReading {
  readonly whose: string;
  readonly aheadMs: number;
}

/** What one part found, and whose clock it met on the way. */
export interface Examined {
  readonly findings: readonly Finding[];
  readonly clocks?: readonly ClockReading[];
}
