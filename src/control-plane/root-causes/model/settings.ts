import { z } from "zod";
import { WholeNumber } from "#daemon/env.ts";
import { ModelKey, modelUrl, pairProblems } from "#daemon/model-env.ts";
import type { Secret } from "#daemon/secret.ts";
import { SecretFile } from "#daemon/secret-file.ts";

/** The part of the control plane's environment that names a model of the operator's own. */
export const modelEnv = {
  ROOT_CAUSE_MODEL_URL: modelUrl("ROOT_CAUSE_MODEL_KEY")
    .optional()
    .describe(
      "base URL of an endpoint with the OpenAI chat API, such as http://llm.internal:8000/v1. For accounts that allow it, root-cause analyses call /chat/completions below it. If it is not set, Outpost sends nothing to a model",
    ),
  ROOT_CAUSE_MODEL: z.string().trim().min(1).max(200).optional().describe("name of the model at the endpoint"),
  ROOT_CAUSE_MODEL_KEY: z
    .string()
    .pipe(ModelKey)
    .optional()
    .describe("key for the endpoint, sent as `Authorization: Bearer …`; none if not set"),
  ROOT_CAUSE_MODEL_KEY_FILE: SecretFile.pipe(ModelKey).optional().describe("file with this key, instead of ROOT_CAUSE_MODEL_KEY"),
  ROOT_CAUSE_MODEL_SECONDS: WholeNumber(1, 240)
    .default(60)
    .describe("seconds that the model has for one analysis, including a second try; after that, the analysis uses rules only"),
  ROOT_CAUSE_MODEL_TOKENS: WholeNumber(100, 8000).default(1000).describe("maximum number of tokens in an answer of the model"),
  ROOT_CAUSE_MODEL_DAILY_TOKENS: WholeNumber(1000, 1_000_000_000)
    .default(200_000)
    .describe("maximum number of tokens that the analyses of one account can use in 24 hours, sent and received"),
} as const;

type ModelEnv = z.output<z.ZodObject<typeof modelEnv>>;

/** A model of the operator's own. */
export interface ModelSettings {
  /** Without a slash at its end. */
  readonly url: string;
  readonly name: string;
  readonly key: Secret | null;
  readonly deadlineMs: number;
  readonly answerTokens: number;
  /** Of one account. */
  readonly dailyTokens: number;
}

/** Null: no model is asked. */
export function modelSettings(e: ModelEnv): ModelSettings | null {
  const { ROOT_CAUSE_MODEL_URL: url, ROOT_CAUSE_MODEL: name } = e;
  if (url === undefined || name === undefined) return null;
  return {
    url: url.replace(/\/+$/, ""),
    name,
    key: e.ROOT_CAUSE_MODEL_KEY ?? e.ROOT_CAUSE_MODEL_KEY_FILE ?? null,
    deadlineMs: e.ROOT_CAUSE_MODEL_SECONDS * 1_000,
    answerTokens: e.ROOT_CAUSE_MODEL_TOKENS,
    dailyTokens: e.ROOT_CAUSE_MODEL_DAILY_TOKENS,
  };
}

/** What only shows in several variables together. */
export function modelProblems(e: ModelEnv): ReturnType<typeof pairProblems> {
  return pairProblems({ url: "ROOT_CAUSE_MODEL_URL", model: "ROOT_CAUSE_MODEL", key: "ROOT_CAUSE_MODEL_KEY" }, e);
}
