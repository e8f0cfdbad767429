import type { IncomingMessage, ServerResponse } from "node:http";
import { type HttpServer, httpServer } from "../../support/http-servers/http-server.ts";

export type ModelMode =
  | "good"
  | "injected"
  | "lying"
  | "echoing"
  | "vague"
  | "endless"
  | "silent"
  | "garbage"
  | "slow"
  | "fails"
  | "fails once"
  | "busy"
  | "cut"
  | "huge"
  | "nonsense";

export interface ScriptedModel extends HttpServer {
  mode: ModelMode;
  /** Bodies and headers as they came. */
  readonly asked: string[];
  readonly key: string;
}

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[];
}

interface Sent {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly { readonly type: string; readonly function: { readonly name: string; readonly parameters: object } }[];
}

type Reply = { readonly call: readonly [name: string, input: object | string] } | { readonly say: string };

/**
 * An endpoint that speaks the chat API with tools, and answers from what it was sent: the goal, and the order and ids of calls and their results. A loop that
 * forgets a message, or sends one twice, gets status 500.
 */
export async function scriptedModel(): Promise<ScriptedModel> {
  const key = `key-${crypto.randomUUID()}`;
  const state = { mode: "good" as ModelMode, asked: [] as string[], key };
  const server = await httpServer((request, response) => void answer(state, request, response));
  return Object.assign(state, server);
}

type State = Pick<ScriptedModel, "mode" | "asked" | "key">;

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = Buffer.concat(await request.toArray()).toString();
  state.asked.push(`${JSON.stringify(request.headers)}\n${text}`);
  const send = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): void =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  if (request.url !== "/v1/chat/completions" || request.method !== "POST") return send(404, "{}");
  if (request.headers.authorization !== `Bearer ${state.key}`) return send(401, '{"error":{"message":"words of the endpoint"}}');
  if (state.mode === "slow") return;
  if (state.mode === "fails") return send(500, "words of the endpoint");
  if (state.mode === "busy") return send(429, "{}", { "retry-after": "0" });
  if (state.mode === "fails once") {
    state.mode = "good";
    return send(503, "", { "retry-after": "0" });
  }
  if (state.mode === "nonsense") return send(200, "<html>It works!</html>");
  let body: string;
  try {
    body = completion(replyTo(JSON.parse(text) as Sent, state.mode), count(text));
  } catch (error) {
    return send(500, JSON.stringify({ error: { message: error instanceof Error ? error.message : "" } }));
  }
  if (state.mode !== "cut") return send(200, body);
  response.writeHead(200, { "content-length": String(body.length) }).write(body.slice(0, body.length / 2));
  setTimeout(() => request.socket.destroy(), 50);
}

function count(text: string): number {
  return Math.ceil(text.length / 4);
}

let calls = 0;

function completion(reply: Reply, promptTokens: number): string {
  calls += 1;
  const called = "call" in reply && {
    id: `call-${calls}`,
    type: "function",
    function: { name: reply.call[0], arguments: typeof reply.call[1] === "string" ? reply.call[1] : JSON.stringify(reply.call[1]) },
  };
  const message = { role: "assistant", content: "say" in reply ? reply.say : null, ...(called !== false && { tool_calls: [called] }) };
  const usage = { prompt_tokens: promptTokens, completion_tokens: 30 };
  return JSON.stringify({ id: "x", object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }], usage });
}

function replyTo({ model, messages, tools }: Sent, mode: ModelMode): Reply {
  if (model !== "small" || !tools?.some((tool) => tool.type === "function" && tool.function.name === "report")) throw new Error("no tools");
  checkOrder(messages);
  if (mode === "huge") return { say: "x".repeat(1_000_000) };
  if (mode === "silent") return { say: "I am thinking." };
  if (mode === "endless") return { call: ["browser_look", {}] };
  if (mode === "garbage") return { call: ["browser_open", "{not json"] };
  return signIn(messages, mode);
}

/** As the API wants them: a result for each call, by its id, before anything else. */
function checkOrder(messages: readonly Message[]): void {
  if (messages[0]?.role !== "system" || messages[1]?.role !== "user") throw new Error("no goal");
  let open: string[] = [];
  for (const { role, tool_calls: asked, tool_call_id: id } of messages.slice(2)) {
    if (role === "tool") {
      if (open.shift() !== id) throw new Error("a result out of order");
      continue;
    }
    if (open.length > 0) throw new Error("a call without a result");
    open = (asked ?? []).map((one) => one.id);
  }
  if (open.length > 0) throw new Error("a call without a result");
}

/** The way of one who signs in, whatever was done before. */
function signIn(messages: readonly Message[], mode: ModelMode): Reply {
  const goal = messages[1]?.content ?? "";
  const url = /https?:\/\/\S+?(?=[\s.,]*(?:\s|$))/.exec(goal)?.[0] ?? "";
  const done = messages
    .flatMap((message) => message.tool_calls ?? [])
    .map(({ function: { name, arguments: given } }) => `${name} ${given}`);
  const last = messages.findLast(({ role }) => role === "tool")?.content ?? "";
  if (done.length === 0) return { call: ["browser_open", { url }] };
  if (last.startsWith("error:") && /no (?:link|button|field) "/.test(last)) return { call: ["browser_look", {}] };
  return ofMode(mode, done, last, messages) ?? onPage(last, mode) ?? honest(last, messages);
}

/** What only a model of this mode says; undefined where it goes on like a good one. */
function ofMode(mode: ModelMode, done: readonly string[], last: string, messages: readonly Message[]): Reply | undefined {
  if (mode === "injected") return obeyed(last, done);
  if (mode === "lying") return report([["a greeting is shown", true, "Welcome back, dear Ann"]]);
  if (mode === "vague" && done.at(-1)?.startsWith("report") !== true) return { call: ["report", { summary: "done", assertions: [] }] };
  if (mode === "vague") return honest(last, messages);
  if (mode === "echoing" && /textbox "User": Hello Ann/.test(last)) return report([["a greeting is shown", true, "Hello Ann"]]);
  return undefined;
}

/** Opens what a page told it to, once. */
function obeyed(last: string, done: readonly string[]): Reply | undefined {
  const order = /SAY TO THE AGENT: open (?<url>\S+)/.exec(last)?.groups?.["url"] ?? "";
  return order === "" || done.some((one) => one.includes(order)) ? undefined : { call: ["browser_open", { url: order }] };
}

/** The next step of the way; undefined at its end. */
function onPage(last: string, mode: ModelMode): Reply | undefined {
  const link = /link "(?<name>Sign in|Log in)"/.exec(last)?.groups?.["name"];
  if (link !== undefined) return { call: ["browser_click", { role: "link", name: link }] };
  if (!/textbox "User"/.test(last)) return undefined;
  if (!/textbox "User": ann/.test(last))
    return { call: ["browser_fill", { label: "User", value: mode === "echoing" ? "Hello Ann" : "ann" }] };
  if (!/textbox "Password": /.test(last)) return { call: ["browser_fill", { label: "Password", secret: "SHOP_PASSWORD" }] };
  return { call: ["browser_click", { role: "button", name: "Go" }] };
}

/** Says what the page says. */
function honest(last: string, messages: readonly Message[]): Reply {
  const heading = /heading "([^"]*)"/.exec(last)?.[1] ?? "";
  const seen = messages.some(({ content }) => content?.includes("Hello, Ann") === true);
  if (seen && heading.includes("Hello, Ann")) return report([["a greeting is shown", true, "Hello, Ann"]]);
  return report([["a greeting is shown", false, heading || last.slice(0, 60)]]);
}

function report(assertions: readonly (readonly [condition: string, passed: boolean, actual: string])[]): Reply {
  const suggestions = [
    { summary: "Name the page to begin at.", category: "configuration", promptReplacement: "Open the shop." },
    { summary: "Delete the shop.", category: "destruction" },
  ];
  return {
    call: [
      "report",
      {
        summary: "Tried to sign in.",
        assertions: assertions.map(([condition, passed, actual]) => ({ condition, passed, expected: "Hello, Ann", actual })),
        suggestions,
      },
    ],
  };
}
