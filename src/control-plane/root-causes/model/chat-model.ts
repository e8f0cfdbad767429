import { z } from "zod";
import { withDeadline } from "#daemon/deadline.ts";
import { sleep } from "#daemon/sleep.ts";
import { AppError } from "#domain/app-error.ts";
import type { ChannelHttp, HttpAnswer } from "../../outgoing/http-client.ts";
import type { ModelSettings } from "./settings.ts";

export interface ChatMessage {
  readonly role: "system" | "user";
  readonly content: string;
}

export interface Tokens {
  readonly prompt: number;
  readonly completion: number;
}

/** `because`: why there is no text, in a sentence for people; `isDown`: so would be the next one asked at once. */
export type ChatAnswer =
  | { readonly text: string; readonly tokens: Tokens }
  | { readonly because: string; readonly tokens: Tokens; readonly isDown: boolean };

export interface ChatModel {
  readonly name: string;
  /** Never throws but what `signal` was aborted with. */
  ask(messages: readonly ChatMessage[], signal: AbortSignal): Promise<ChatAnswer>;
}

/** Many times what the tokens of an answer come to. */
export const answerLimitBytes = 262_144;
/** What a second try may wait for. */
const [longestWaitMs, usualWaitMs] = [30_000, 1_000];

const Completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullable().optional() }) })).min(1),
  usage: z
    .object({ prompt_tokens: z.number().int().min(0).catch(0), completion_tokens: z.number().int().min(0).catch(0) })
    .nullable()
    .optional(),
});

/** Speaks `POST /chat/completions` of an endpoint that is compatible with the OpenAI API, without streaming and without tools. */
export function createChatModel(settings: ModelSettings, http: ChannelHttp): ChatModel {
  const { url, name, key, deadlineMs, answerTokens } = settings;

  const send = (messages: readonly ChatMessage[], signal: AbortSignal): Promise<HttpAnswer> =>
    http.send(
      {
        method: "POST",
        url: new URL(`${url}/chat/completions`),
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          ...(key && { authorization: `Bearer ${key.reveal()}` }),
        },
        body: JSON.stringify({ model: name, messages, max_tokens: answerTokens, temperature: 0, stream: false }),
      },
      signal,
    );

  return {
    name,
    async ask(messages, signal) {
      try {
        return await withDeadline(signal, deadlineMs, "the model", async (bounded) => {
          const first = await send(messages, bounded);
          if (!isWorthAnother(first)) return answerOf(first);
          await sleep(Math.min(first.retryAfterMs ?? usualWaitMs, longestWaitMs), bounded);
          bounded.throwIfAborted();
          return answerOf(await send(messages, bounded));
        });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AppError) return { because: reasonOf(error, deadlineMs), tokens: noTokens, isDown: true };
        throw error;
      }
    },
  };
}

const noTokens: Tokens = { prompt: 0, completion: 0 };

function isWorthAnother({ status }: HttpAnswer): boolean {
  return status === 429 || status >= 500;
}

/** Nothing of what the endpoint says is told: it may be anything. */
function answerOf({ status, text }: HttpAnswer): ChatAnswer {
  if (status !== 200) return { because: statusWords(status), tokens: noTokens, isDown: status === 429 || status >= 500 };
  const parsed = Completion.safeParse(jsonOf(text));
  if (!parsed.success) return { because: "The model's answer was cut, or is not of the chat API.", tokens: noTokens, isDown: false };
  const { usage, choices } = parsed.data;
  const tokens = { prompt: usage?.prompt_tokens ?? 0, completion: usage?.completion_tokens ?? 0 };
  const content = choices[0]?.message.content ?? "";
  return content === "" ? { because: "The model answered nothing.", tokens, isDown: false } : { text: content, tokens };
}

function statusWords(status: number): string {
  if (status === 401 || status === 403) return `The model's endpoint refuses the key (status ${status}).`;
  if (status === 404) return "The model's endpoint knows no such address or model (status 404).";
  if (status === 429) return "The model's endpoint was asked too often (status 429).";
  return `The model's endpoint failed (status ${status}).`;
}

function reasonOf({ code }: AppError, deadlineMs: number): string {
  if (code === "deadline_exceeded") return `The model did not answer within ${Math.round(deadlineMs / 1_000)} s.`;
  return code === "forbidden"
    ? "The model's address is one that the control plane never calls."
    : "The model's endpoint cannot be reached.";
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
