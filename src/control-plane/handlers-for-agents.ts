import type { Logger } from "#daemon/logger.ts";
import type { Telemetry } from "#daemon/telemetry/telemetry.ts";
import { artifactHandlers } from "./artifacts/artifact-handlers.ts";
import { ArtifactUploads } from "./artifacts/artifact-uploads.ts";
import type { openBlobStore } from "./blob-store/open-blob-store.ts";
import { agentBundleHandlers } from "./code-bundles/agent-bundle-handlers.ts";
import type { ControlPlaneConfig } from "./config.ts";
import type { Handler } from "./http/handler.ts";
import { type AdmissionDeps, createAdmission } from "./jobs/admit-agent.ts";
import { agentHandlers } from "./jobs/agent-handlers.ts";
import { baselineHandlers } from "./jobs/baseline-handlers.ts";
import type { Dispatcher } from "./jobs/dispatcher.ts";
import { createErrorEventSink } from "./jobs/error-events.ts";
import { createPayloadBuilder } from "./jobs/payload.ts";
import { type PlanHandlerDeps, planHandlers } from "./jobs/plan-handlers.ts";
import { createRunSpans } from "./jobs/run-spans.ts";
import type { Sealing } from "./keys/sealing.ts";
import type { createMetrics } from "./metrics/metrics.ts";
import type { Storage } from "./storage/storage.ts";

interface AgentDeps
  extends Omit<Storage, "audit">,
    Omit<ControlPlaneConfig, "publicUrl">,
    Pick<AdmissionDeps, "note" | "agentGoneMs">,
    Pick<PlanHandlerDeps, "audit"> {
  readonly log: Logger;
  readonly nowMs: () => number;
  readonly telemetry: Telemetry;
  readonly sealing: Sealing;
  readonly hashOf: (text: string) => string;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly dispatcher: Dispatcher;
  readonly blobs: ReturnType<typeof openBlobStore>;
}

/** What agents ask for and bring. */
export function handlersForAgents({ metrics, blobs, ...rest }: AgentDeps): readonly Handler[] {
  const shared = { ...rest, runSpans: createRunSpans(rest.telemetry.traces) };
  return [
    ...agentHandlers({
      ...shared,
      ...metrics,
      admit: createAdmission({ ...shared, ...metrics }),
      keepsArtifacts: blobs !== null,
      payloads: createPayloadBuilder(shared),
      errorEvents: createErrorEventSink({ ...shared, count: metrics.countAgentErrors }),
    }),
    ...baselineHandlers(shared),
    ...planHandlers(shared),
    ...agentBundleHandlers({ ...shared, blobs }),
    ...artifactHandlers(blobs === null ? null : new ArtifactUploads({ ...shared, ...metrics, blobs })),
  ];
}
