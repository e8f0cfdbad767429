import type { AgentConfig } from "./config.ts";
import { diagnoseCapture, diagnoseFiles, diagnoseHealthPort, diagnoseIcmp, diagnoseMemory, diagnoseOutbox } from "./doctor-host.ts";
import { diagnoseControlPlane } from "./doctor-network.ts";

/** Everything that is examined, in the order of the report; docs/troubleshooting.md has a section for each. */
export const subjects = [
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
] as const;
export type Subject = (typeof subjects)[number];

/** What one examination found: a sentence, and where something is wrong, what to do next. */
export interface Finding {
  readonly about: Subject;
  readonly verdict: "ok" | "warn" | "fail";
  readonly text: string;
  readonly next?: string;
}

/**
 * Finds out why an agent with this configuration cannot work here, layer by layer; what depends on a broken layer is
 * left out. Opens one session, as an agent does at its start, and takes no job.
 */
export async function diagnose(config: AgentConfig, signal: AbortSignal): Promise<readonly Finding[]> {
  return [
    ...(await diagnoseControlPlane(config, signal)),
    await diagnoseHealthPort(config.health),
    await diagnoseOutbox(config.outbox.folder, config.outbox.limitBytes),
    diagnoseMemory(config.jobConcurrency),
    diagnoseFiles(config.jobConcurrency),
    diagnoseIcmp(),
    diagnoseCapture(config.keepsEvidence),
  ];
}
