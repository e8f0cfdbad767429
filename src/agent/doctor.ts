import type { AgentConfig } from "./config.ts";
import { diagnoseCapture, diagnoseIcmp, diagnoseOutbox } from "./doctor-host.ts";
import { diagnoseControlPlane } from "./doctor-network.ts";

/** What one examination found: a sentence, and where something is wrong, what to do next. */
export interface Finding {
  readonly about: string;
  readonly verdict: "ok" | "warn" | "fail";
  readonly text: string;
  readonly next?: string;
}

/**
 * Finds out why an agent with this configuration cannot work here, layer by layer; what depends on a broken layer is
 * left out. Opens one session, as an agent does at its start, and takes no job.
 */
export async function diagnose(config: AgentConfig, signal: AbortSignal): Promise<readonly Finding[]> {
  const network = await diagnoseControlPlane(config, signal);
  const outbox = await diagnoseOutbox(config.outbox.folder, config.outbox.limitBytes);
  return [...network, outbox, diagnoseIcmp(), diagnoseCapture(config.keepsEvidence)];
}
