import { answerLimitBytes, createChatModel } from "#daemon/chat-model.ts";
import type { ProxySettings } from "#daemon/proxy.ts";
import type { Service } from "#daemon/service.ts";
import { type AccountMaterialDeps, createAccountMaterial } from "../jobs/account-material.ts";
import { createEgress } from "../outgoing/egress.ts";
import { createChannelHttp } from "../outgoing/http-client.ts";
import type { AnalysisStore } from "../storage/storage.ts";
import type { AnalyseDeps } from "./analyse.ts";
import { type AnalysisWorkerDeps, createAnalysisWorker } from "./analysis-worker.ts";
import { type AskModelDeps, createAskModel } from "./model/ask-model.ts";
import type { ModelSettings } from "./model/settings.ts";

export interface RootCauseDeps
  extends Omit<AnalysisWorkerDeps, "askModel" | "signals" | "audit">,
    Omit<AskModelDeps, "model" | "settings" | "material" | "analyses" | "audit" | "accounts">,
    Omit<AccountMaterialDeps, "signals"> {
  readonly analyses: AnalysisStore;
  readonly signals: AnalysisWorkerDeps["signals"] & AccountMaterialDeps["signals"];
  readonly audit: AnalyseDeps["audit"];
  /** Writes an entry of the audit log. */
  readonly noteModel: AskModelDeps["audit"];
  /** Null: no model is asked. */
  readonly rootCauseModel: ModelSettings | null;
  readonly proxies: ProxySettings;
}

export interface RootCauses {
  /** An analysis was asked for. */
  readonly wake: () => void;
  readonly services: readonly Service[];
}

/** What makes analyses: rules, and the operator's own model where there is one. Its endpoint may lie in a private network, as other services of the operator. */
export function createRootCauses(deps: RootCauseDeps): RootCauses {
  const { rootCauseModel: settings, proxies, nowMs } = deps;
  if (settings === null) {
    const worker = createAnalysisWorker({ ...deps, askModel: async () => null });
    return { wake: worker.wake, services: [worker] };
  }
  const { deadlineMs } = settings;
  const limits = { connectMs: Math.min(10_000, deadlineMs), headersMs: deadlineMs, bodyMs: deadlineMs, wholeMs: deadlineMs };
  const egress = createEgress({ mode: "default", allowCidrs: [] });
  const http = createChannelHttp({ egress, proxies, nowMs, limits, answerBytes: answerLimitBytes });
  const askModel = createAskModel({
    ...deps,
    settings,
    model: createChatModel(settings, http),
    material: createAccountMaterial(deps),
    audit: deps.noteModel,
  });
  const worker = createAnalysisWorker({ ...deps, askModel });
  const client: Service = { name: "root-cause model", start: () => Promise.resolve(), stop: () => http.close() };
  return { wake: worker.wake, services: [client, worker] };
}
