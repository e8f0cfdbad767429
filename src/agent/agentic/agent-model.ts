import { answerLimitBytes, type ChatHttp, type ChatModel, createChatModel, type Tokens } from "#daemon/chat-model.ts";
import { type ProxySettings, proxyFor } from "#daemon/proxy.ts";
import { retryAfterMs } from "#domain/backoff.ts";
import { type ControlPlaneClient, createControlPlaneClient } from "../contact/control-plane-client.ts";
import { createRenewedClient } from "../contact/renewed-client.ts";
import type { AgenticConfig } from "../host/model-settings.ts";

/** How runs came to their verdict; `none`: they have none. */
export type RunWay = "model" | "replay" | "replay_then_model" | "none";

/** All since the start, for metrics. */
export interface ModelTotals {
  readonly answered: number;
  readonly failed: number;
  readonly tokens: Tokens;
  /** By the operator's prices; null where there are none. */
  readonly cost: number | null;
  readonly runs: Readonly<Record<RunWay, number>>;
}

/** The operator's model as this agent has it. Its address and its key are the agent's own: no check, page or result sees them. */
export interface AgentModel {
  readonly chat: ChatModel;
  readonly limits: Pick<AgenticConfig, "maxTurns" | "maxTokens"> & {
    /** Of one answer, a second try included. */ readonly answerMs: number;
  };
  readonly secrets: readonly string[];
  note(run: { readonly way: RunWay; readonly answered: number; readonly failed: number; readonly tokens: Tokens }): void;
  totals(): ModelTotals;
  close(): Promise<void>;
}

const usualAnswerMs = 60_000;
const answerTokens = 2_000;

/** Null where the operator set no model, or wants no such check here. @param extraCas the same array until they change */
export function createAgentModel(
  config: AgenticConfig,
  proxy: ProxySettings,
  extraCas: () => readonly string[],
  { nowMs = Date.now, answerMs = usualAnswerMs }: { readonly nowMs?: () => number; readonly answerMs?: number } = {},
): AgentModel | null {
  const { model: endpoint, concurrency, prices } = config;
  if (endpoint === null || concurrency === 0) return null;
  const base = new URL(endpoint.url);
  const client = createRenewedClient((cas) => createControlPlaneClient(base, proxyFor(base, proxy), cas), extraCas);
  const chat = createChatModel({ ...endpoint, deadlineMs: answerMs, answerTokens }, chatHttp(client, base, answerMs, nowMs));
  const totals = {
    answered: 0,
    failed: 0,
    tokens: { prompt: 0, completion: 0 },
    runs: { model: 0, replay: 0, replay_then_model: 0, none: 0 },
  };
  return {
    chat,
    limits: { ...config, answerMs },
    secrets: endpoint.key === null ? [] : [endpoint.key.reveal()],
    note({ way, answered, failed, tokens }) {
      totals.runs[way] += 1;
      totals.answered += answered;
      totals.failed += failed;
      totals.tokens.prompt += tokens.prompt;
      totals.tokens.completion += tokens.completion;
    },
    totals: () => ({ ...totals, cost: prices && costOf(totals.tokens, prices) }),
    close: () => client.close(),
  };
}

function costOf(tokens: Tokens, prices: Tokens): number {
  return (tokens.prompt * prices.prompt + tokens.completion * prices.completion) / 1_000_000;
}

/** The agent's client takes a path below its base. */
function chatHttp(client: ControlPlaneClient, base: URL, limitMs: number, nowMs: () => number): ChatHttp {
  const prefix = base.pathname.replace(/\/$/, "");
  return {
    async send({ method, url, headers, body }, signal) {
      const request = { method, path: url.pathname.slice(prefix.length), headers, body, limitMs, mostBytes: answerLimitBytes };
      const { status, text, headers: told } = await client.send(request, signal);
      const wish = told["retry-after"];
      return { status, text, retryAfterMs: retryAfterMs(Array.isArray(wish) ? wish[0] : wish, nowMs()) };
    },
  };
}
