import { z } from "zod";
import { AppError } from "#domain/app-error.ts";
import { withDeadline } from "./deadline.ts";
import type { Secret } from "./secret.ts";
import { sleep } from "./sleep.ts";

/** A call of a tool as the model asks for it; `arguments` should be JSON, and may be anything. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string; readonly calls: readonly ToolCall[] }
  | { readonly role: "tool"; readonly callId: string; readonly content: string };

/** What a model may ask for. `parameters` is a JSON schema. */
export interface ChatTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

export interface Tokens {
  readonly prompt: number;
  readonly completion: number;
}

/** `because`: why there is no answer, in a sentence for people; `isDown`: so would be the next one asked at once. */
export type ChatAnswer =
  | { readonly text: string; readonly calls: readonly ToolCall[]; readonly tokens: Tokens }
  | { readonly because: string; readonly tokens: Tokens; readonly isDown: boolean };

/** What one question may take beside what the endpoint's settings say. */
export interface Question {
  /** None where absent; with some, an answer may have calls of them and no text. */
  readonly tools?: readonly ChatTool[];
  readonly deadlineMs?: number;
}

export interface ChatModel {
  readonly name: string;
  /** Never throws but what `signal` was aborted with. */
  ask(messages: readonly ChatMessage[], signal: AbortSignal, question?: Question): Promise<ChatAnswer>;
}

/** An endpoint of the operator's own. */
export interface ChatEndpoint {
  /** Without a slash at its end; `/chat/completions` comes behind it. */
  readonly url: string;
  readonly name: string;
  readonly key: Secret | null;
  /** Of a question, its second try included. */
  readonly deadlineMs: number;
  /** Tokens that an answer may have. */
  readonly answerTokens: number;
}

/** The way to it. */
export interface ChatHttp {
  /**
   * Sends by POST. It follows no redirect, retries nothing and gives no status a meaning.
   *
   * @throws {AppError} deadline_exceeded, forbidden, too_large or unreachable
   */
  send(
    call: { readonly method: "POST"; readonly url: URL; readonly headers: Readonly<Record<string, string>>; readonly body: string },
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly text: string; readonly retryAfterMs: number | undefined }>;
}

type HttpAnswer = Awaited<ReturnType<ChatHttp["send"]>>;

/** Many times what the tokens of an answer come to. */
export const answerLimitBytes = 262_144;
/** What a second try may wait for. */
const [longestWaitMs, usualWaitMs] = [30_000, 1_000];
/** Of one answer; the rest is not carried out. */
const mostCalls = 20;

const Called = z.object({
  id: z.string().min(1).max(200),
  function: z.object({ name: z.string().max(200).catch(""), arguments: z.string().catch("") }),
});

const Completion = z.object({
  choices: z
    .array(
      z.object({ message: z.object({ content: z.string().nullable().optional(), tool_calls: z.array(Called).nullable().optional() }) }),
    )
    .min(1),
  usage: z
    .object({ prompt_tokens: z.number().int().min(0).catch(0), completion_tokens: z.number().int().min(0).catch(0) })
    .nullable()
    .optional(),
});

/** Speaks `POST /chat/completions` of an endpoint that is compatible with the OpenAI API, without streaming. */
export function createChatModel(endpoint: ChatEndpoint, http: ChatHttp): ChatModel {
  const { url, name, key, deadlineMs: usualMs, answerTokens } = endpoint;

  const send = (messages: readonly ChatMessage[], tools: readonly ChatTool[], signal: AbortSignal): Promise<HttpAnswer> =>
    http.send(
      {
        method: "POST",
        url: new URL(`${url}/chat/completions`),
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          ...(key && { authorization: `Bearer ${key.reveal()}` }),
        },
        body: JSON.stringify({
          model: name,
          messages: messages.map(written),
          ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: "function", function: tool })) }),
          max_tokens: answerTokens,
          temperature: 0,
          stream: false,
        }),
      },
      signal,
    );

  return {
    name,
    async ask(messages, signal, { tools = [], deadlineMs = usualMs } = {}) {
      try {
        return await withDeadline(signal, deadlineMs, "the model", async (bounded) => {
          const first = await send(messages, tools, bounded);
          if (!isWorthAnother(first)) return answerOf(first, tools.length > 0);
          await sleep(Math.min(first.retryAfterMs ?? usualWaitMs, longestWaitMs), bounded);
          bounded.throwIfAborted();
          return answerOf(await send(messages, tools, bounded), tools.length > 0);
        });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AppError)
          return { because: reasonOf(error, deadlineMs), tokens: noTokens, isDown: error.code !== "too_large" };
        throw error;
      }
    },
  };
}

export const noTokens: Tokens = { prompt: 0, completion: 0 };

/** As the API has it. */
function written(message: ChatMessage): object {
  if (message.role === "tool") return { role: "tool", tool_call_id: message.callId, content: message.content };
  if (message.role !== "assistant") return message;
  const { role, content, calls } = message;
  const called = calls.map(({ id, name, arguments: given }) => ({ id, type: "function", function: { name, arguments: given } }));
  return { role, content: content === "" ? null : content, ...(called.length > 0 && { tool_calls: called }) };
}

function isWorthAnother({ status }: HttpAnswer): boolean {
  return status === 429 || status >= 500;
}

/** Nothing of what the endpoint says is told: it may be anything. */
function answerOf({ status, text }: HttpAnswer, hasTools: boolean): ChatAnswer {
  if (status !== 200) return { because: statusWords(status), tokens: noTokens, isDown: status === 429 || status >= 500 };
  const parsed = Completion.safeParse(jsonOf(text));
  const [choice] = parsed.data?.choices ?? [];
  if (choice === undefined) return { because: "The model's answer was cut, or is not of the chat API.", tokens: noTokens, isDown: false };
  const tokens = tokensIn(parsed.data);
  const { content, tool_calls: called } = choice.message;
  if (hasTools) return { text: content ?? "", calls: callsIn(called ?? []), tokens };
  return content ? { text: content, calls: [], tokens } : { because: "The model answered nothing.", tokens, isDown: false };
}

function tokensIn(completion: z.output<typeof Completion> | undefined): Tokens {
  const usage = completion?.usage;
  return { prompt: usage?.prompt_tokens ?? 0, completion: usage?.completion_tokens ?? 0 };
}

function callsIn(called: readonly z.output<typeof Called>[]): readonly ToolCall[] {
  return called.slice(0, mostCalls).map(({ id, function: asked }) => ({ id, ...asked }));
}

function statusWords(status: number): string {
  if (status === 401 || status === 403) return `The model's endpoint refuses the key (status ${status}).`;
  if (status === 404) return "The model's endpoint knows no such address or model (status 404).";
  if (status === 429) return "The model's endpoint was asked too often (status 429).";
  return `The model's endpoint failed (status ${status}).`;
}

function reasonOf({ code }: AppError, deadlineMs: number): string {
  if (code === "deadline_exceeded") return `The model did not answer within ${Math.round(deadlineMs / 1_000)} s.`;
  if (code === "too_large") return "The model's answer is longer than any that is of use.";
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
