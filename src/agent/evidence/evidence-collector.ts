import type { EvidenceFile } from "#contract/agent-protocol.ts";
import type { Inquiry } from "./inquiry.ts";

/** Looks closer where the network failed an attempt. Bounded in time and size, and in how often; never throws. */
export interface EvidenceCollector {
  collect(inquiry: Inquiry, signal: AbortSignal): Promise<EvidenceFile[]>;
}
