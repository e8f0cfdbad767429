import { z } from "zod";
import { WholeNumber } from "#daemon/env.ts";
import { Secret } from "#daemon/secret.ts";
import { SecretFile } from "#daemon/secret-file.ts";

const ModelKey = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{1,4096}$/, "must be 1 to 4096 characters without blanks")
  .transform((text) => new Secret(text));

/** The part of the control plane's environment that names a model of the operator's own. */
export const modelEnv = {
  ROOT_CAUSE_MODEL_URL: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .refine(
      (text) => !/[?#]/.test(text) && URL.parse(text)?.username === "",
      "must have neither a query nor credentials; the key goes into ROOT_CAUSE_MODEL_KEY",
    )
    .optional()
    .describe(
      "base URL of an endpoint that speaks the OpenAI chat API, such as http://llm.internal:8000/v1: root-cause analyses of accounts that allow it ask it at /chat/completions. Without it nothing leaves",
    ),
  ROOT_CAUSE_MODEL: z.string().trim().min(1).max(200).optional().describe("name of the model, as the endpoint knows it"),
  ROOT_CAUSE_MODEL_KEY: z
    .string()
    .pipe(ModelKey)
    .optional()
    .describe("key for the endpoint, sent as `Authorization: Bearer …`; none when absent"),
  ROOT_CAUSE_MODEL_KEY_FILE: SecretFile.pipe(ModelKey).optional().describe("file that holds it, instead of ROOT_CAUSE_MODEL_KEY"),
  ROOT_CAUSE_MODEL_SECONDS: WholeNumber(1, 240)
    .default(60)
    .describe("seconds that the model may take for one analysis, a second try included; then the analysis does without it"),
  ROOT_CAUSE_MODEL_TOKENS: WholeNumber(100, 8000).default(1000).describe("tokens that an answer of the model may have"),
  ROOT_CAUSE_MODEL_DAILY_TOKENS: WholeNumber(1000, 1_000_000_000)
    .default(200_000)
    .describe("tokens, asked and answered, that the analyses of one account may take in 24 hours"),
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
export function modelProblems(e: ModelEnv): readonly { readonly name: string; readonly message: string }[] {
  const problems: { name: string; message: string }[] = [];
  const hasUrl = e.ROOT_CAUSE_MODEL_URL !== undefined;
  if (hasUrl !== (e.ROOT_CAUSE_MODEL !== undefined)) {
    const [missing, present] = hasUrl ? ["ROOT_CAUSE_MODEL", "ROOT_CAUSE_MODEL_URL"] : ["ROOT_CAUSE_MODEL_URL", "ROOT_CAUSE_MODEL"];
    problems.push({ name: missing, message: `must be set, too, as ${present} is` });
  }
  if (e.ROOT_CAUSE_MODEL_KEY !== undefined && e.ROOT_CAUSE_MODEL_KEY_FILE !== undefined)
    problems.push({ name: "ROOT_CAUSE_MODEL_KEY_FILE", message: "and ROOT_CAUSE_MODEL_KEY are both set; keep one of the two" });
  return problems;
}
