import type { EvidenceFile } from "#contract/agent-protocol.ts";
import type { Reported } from "../run-attempt.ts";

/** Looks closer where the network failed an attempt. Bounded in time and size, and in how often; never throws. */
export interface EvidenceCollector {
  collect(inquiry: NonNullable<Reported["inquiry"]>, signal: AbortSignal): Promise<EvidenceFile[]>;
}

/** For agents that keep no evidence. */
export const noEvidence: EvidenceCollector = { collect: () => Promise.resolve([]) };
