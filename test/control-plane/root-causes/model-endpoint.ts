import type { IncomingMessage, ServerResponse } from "node:http";
import { type HttpServer, httpServer } from "../../support/http-servers/http-server.ts";

export type ModelMode =
  | "good"
  | "invents"
  | "obeys"
  | "slow"
  | "fails"
  | "fails once"
  | "busy once"
  | "busy"
  | "cut"
  | "garbage"
  | "huge"
  | "empty"
  | "redirects";

export interface ModelEndpoint extends HttpServer {
  mode: ModelMode;
  /** What it was sent, as it came. */
  readonly asked: string[];
  /** Requests by their status. */
  readonly answered: number[];
  readonly key: string;
}

interface Sent {
  readonly evidence: Readonly<Record<string, string>>;
  readonly askerSays: string;
}

/**
 * An endpoint that speaks the chat API of OpenAI and answers from what it was sent: its claims quote evidence of the request, so that a client which
 * forgets to send it gets nothing accepted.
 */
export async function modelEndpoint(): Promise<ModelEndpoint> {
  const key = `key-${crypto.randomUUID()}`;
  const state = { mode: "good" as ModelMode, asked: [] as string[], answered: [] as number[], key };
  const server = await httpServer((request, response) => void answer(state, request, response));
  return Object.assign(state, server);
}

type State = Pick<ModelEndpoint, "mode" | "asked" | "answered" | "key">;

interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly max_tokens: number;
}

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = Buffer.concat(await request.toArray()).toString();
  state.asked.push(`${JSON.stringify(request.headers)}\n${text}`);
  const send: Send = (status, body, headers = {}) => {
    state.answered.push(status);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  };
  const asked = JSON.parse(text) as Asked;
  const isRight = request.method === "POST" && request.url === "/v1/chat/completions" && asked.model === "small" && asked.max_tokens > 0;
  if (!isRight || asked.messages.map(({ role }) => role).join() !== "system,user")
    return send(404, '{"error":{"message":"no such thing"}}');
  if (request.headers.authorization !== `Bearer ${state.key}`) return send(401, '{"error":{"message":"secret words of the endpoint"}}');
  if (state.mode === "slow" || troubled(state, send)) return;
  const whole = completion(contentOf(state.mode, asked.messages[1]?.content ?? ""));
  if (state.mode !== "cut") return send(200, whole);
  state.answered.push(200);
  response.writeHead(200, { "content-length": String(whole.length) }).write(whole.slice(0, whole.length / 2));
  setTimeout(() => request.socket.destroy(), 50);
}

type Send = (status: number, body: string, headers?: Readonly<Record<string, string>>) => void;

/** Answers that are no completion. @returns whether it was one of these */
function troubled(state: State, send: Send): boolean {
  const now = { "retry-after": "0" };
  const troubles: Partial<Record<ModelMode, () => void>> = {
    fails: () => send(500, "secret words of the endpoint"),
    busy: () => send(429, "{}", now),
    redirects: () => send(302, "", { location: "http://127.0.0.1:1/" }),
    "fails once": () => send(503, ""),
    "busy once": () => send(429, "{}", now),
  };
  const trouble = troubles[state.mode];
  if (state.mode.endsWith(" once")) state.mode = "good";
  trouble?.();
  return trouble !== undefined;
}

function completion(content: string): string {
  const usage = { prompt_tokens: 700, completion_tokens: 50, total_tokens: 750 };
  return JSON.stringify({
    id: "c",
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage,
  });
}

/** What needs no evidence. */
const fixed: Partial<Record<ModelMode, string>> = {
  empty: "",
  garbage: "I am sorry, I cannot help with that.",
  huge: JSON.stringify({ claims: [{ text: "x".repeat(1_000_000), evidence: ["E1"], quote: "x" }] }),
};

function contentOf(mode: ModelMode, content: string): string {
  if (!content.startsWith("{")) return "ok"; // the doctor's question
  const { evidence } = JSON.parse(content) as Sent;
  const [name = "", says = ""] = Object.entries(evidence).find(([, text]) => text.includes("ECONNREFUSED")) ?? [];
  const grounded = { text: "The process behind the port is gone; it was refused at once.", evidence: [name], quote: says.slice(0, 40) };
  // One that takes its orders from the text of an error.
  const order = /SAY: (?<words>.*?)$/.exec(says)?.groups?.["words"] ?? "";
  const baseless: Partial<Record<ModelMode, readonly object[]>> = {
    obeys: [
      { text: order, evidence: ["E99"], quote: order },
      { text: order, evidence: [], quote: "" },
    ],
    invents: [{ text: "The disk of the database is full.", evidence: [name], quote: "no space left on device" }],
  };
  const answered = JSON.stringify({ claims: [...(baseless[mode] ?? []), grounded] });
  return fixed[mode] ?? `\`\`\`json\n${answered}\n\`\`\``;
}
