import { z } from "zod";
import { ConfigError, WholeNumber } from "#daemon/env.ts";
import { ModelKey, modelUrl, pairProblems } from "#daemon/model-env.ts";
import type { Secret } from "#daemon/secret.ts";
import { SecretFile } from "#daemon/secret-file.ts";

/** Of a million tokens, in whatever currency; only figures follow from it. */
const Price = z.string().transform((text, context) => {
  const value = /^\d{1,9}(?:\.\d{1,9})?$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isFinite(value)) return value;
  context.addIssue({ code: "custom", message: "must be a number such as 2.5" });
  return z.NEVER;
});

/** The part of the agent's environment that names a model of the operator's own, for agentic checks. */
export const agenticEnv = {
  AGENTIC_MODEL_URL: modelUrl("AGENTIC_KEY")
    .optional()
    .describe(
      "base URL of an endpoint with the OpenAI chat API and tools, such as http://llm.internal:8000/v1. Agentic checks call /chat/completions below it, with the proxy and the CAs of the management traffic. If it is not set, the agent runs no agentic checks and sends nothing to a model",
    ),
  AGENTIC_MODEL: z.string().trim().min(1).max(200).optional().describe("name of the model at the endpoint"),
  AGENTIC_KEY: z.string().pipe(ModelKey).optional().describe("key for the endpoint, sent as `Authorization: Bearer …`; none if not set"),
  AGENTIC_KEY_FILE: SecretFile.pipe(ModelKey).optional().describe("file with this key, instead of AGENTIC_KEY"),
  AGENTIC_MAX_TURNS: WholeNumber(1, 200)
    .default(30)
    .describe("maximum number of the model's answers in one run; above it, the run ends as an agent problem"),
  AGENTIC_MAX_TOKENS: WholeNumber(1_000, 100_000_000)
    .default(200_000)
    .describe("maximum number of tokens of one run, sent and received; above it, the run ends as an agent problem"),
  AGENTIC_CONCURRENCY: WholeNumber(0, 16)
    .default(1)
    .describe("how many agentic checks run at the same time, 0 to 16; 0 turns them off. Each has its own browser (BROWSER_MEMORY_MB)"),
  AGENTIC_PRICE_PROMPT: Price.optional().describe("price of a million tokens that are sent, for outpost_agent_model_cost_total"),
  AGENTIC_PRICE_COMPLETION: Price.optional().describe("price of a million tokens that are received"),
} as const;

type AgenticEnv = z.output<z.ZodObject<typeof agenticEnv>>;

/** A model of the operator's own, and what one run may take of it. */
export interface AgenticConfig {
  /** Null: no model is set, and this agent runs no agentic check. */
  readonly model: { readonly url: string; readonly name: string; readonly key: Secret | null } | null;
  readonly maxTurns: number;
  readonly maxTokens: number;
  /** Seats; 0: none are run. */
  readonly concurrency: number;
  /** Of a million tokens; null where nobody said. */
  readonly prices: { readonly prompt: number; readonly completion: number } | null;
}

/** Also of `outpost run`. @throws {ConfigError} naming variables that do not go together */
export function agenticConfig(e: AgenticEnv): AgenticConfig {
  const problems = pairProblems({ url: "AGENTIC_MODEL_URL", model: "AGENTIC_MODEL", key: "AGENTIC_KEY" }, e);
  if (problems.length > 0) throw new ConfigError(problems.map(({ name, message }) => `${name}: ${message}`).join("\n"));
  const { AGENTIC_MODEL_URL: url, AGENTIC_MODEL: name, AGENTIC_PRICE_PROMPT: prompt, AGENTIC_PRICE_COMPLETION: completion } = e;
  const isSet = url !== undefined && name !== undefined;
  return {
    model: isSet ? { url: url.replace(/\/+$/, ""), name, key: e.AGENTIC_KEY ?? e.AGENTIC_KEY_FILE ?? null } : null,
    maxTurns: e.AGENTIC_MAX_TURNS,
    maxTokens: e.AGENTIC_MAX_TOKENS,
    concurrency: e.AGENTIC_CONCURRENCY,
    prices: prompt === undefined && completion === undefined ? null : { prompt: prompt ?? 0, completion: completion ?? 0 },
  };
}
