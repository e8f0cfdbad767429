/** Everything that is examined, in the order of the report; docs/troubleshooting.md has a section for each. */
export const subjects = [
  "settings",
  "key",
  "CA bundle",
  "proxy",
  "DNS",
  "TCP",
  "TLS",
  "session",
  "clock",
  "health port",
  "outbox",
  "memory",
  "open files",
  "ICMP",
  "capture",
  "browser",
] as const;
export type Subject = (typeof subjects)[number];

/** What one examination found: a sentence, and where something is wrong, what to do next. */
export interface Finding {
  readonly about: Subject;
  readonly verdict: "ok" | "warn" | "fail";
  readonly text: string;
  readonly next?: string;
}
