import type { AgentConfig } from "../config.ts";
import { diagnoseCollector } from "./doctor-collector.ts";
import { diagnoseCapture, diagnoseFiles, diagnoseHealthPort, diagnoseIcmp, diagnoseMemory, diagnoseOutbox } from "./doctor-host.ts";
import { diagnoseModel } from "./doctor-model.ts";
import { diagnoseControlPlane } from "./doctor-network.ts";
import { diagnosePlaywright } from "./doctor-playwright.ts";
import { type Finding } from "./finding.ts";

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
    ...(await diagnosePlaywright(config)),
    await diagnoseCollector(config, signal),
    await diagnoseModel(config, signal),
  ];
}
