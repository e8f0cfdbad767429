import type { ChatMessage, ToolCall } from "#daemon/chat-model.ts";
import type { ProbeFailure } from "../runners/check-runner.ts";
import type { AgentModel } from "./agent-model.ts";
import type { Journey } from "./journey.ts";
import { askedOf, chatTools, type Report } from "./tools.ts";
import type { Used } from "./used.ts";
import { masked, nudge, shortened } from "./words.ts";

export interface Conversation {
  readonly model: Pick<AgentModel, "chat" | "limits">;
  readonly journey: Journey;
  readonly mask: (text: string) => string;
  readonly used: Used;
  /** Milliseconds that are left of the run. */
  readonly leftMs: () => number;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

export type Ending = { readonly report: Report } | { readonly failure: ProbeFailure };

/**
 * Turn after turn: the model is told what was done, and what it asks for is done, in its order, until it reports. Bounded by turns, tokens and time: who
 * comes to no report has checked nothing, and says nothing of the target.
 *
 * @throws {AppError} where the browser ended; the signal's reason
 */
export async function converse(messages: ChatMessage[], conversation: Conversation): Promise<Ending> {
  const { journey } = conversation;
  for (let turn = 1; ; turn += 1) {
    const spent = spentIn(turn, conversation);
    if (spent !== null) return { failure: { code: "EBUDGET", message: `no report ${spent}`, side: "agent" } };
    const answer = await asked(messages, conversation);
    if ("because" in answer) {
      const isLate = conversation.leftMs() <= 0;
      if (isLate) continue; // the run's time is what was over
      journey.tell("ERROR", `turn ${turn}: ${answer.because}`);
      return { failure: { code: "EMODEL", message: answer.because, side: "agent" } };
    }
    const { text, calls } = answer;
    if (text !== "") journey.say(text);
    journey.tell("INFO", `turn ${turn}: ${calls.map(({ name }) => name.slice(0, 50)).join(", ") || "no tool"}`);
    messages.push({ role: "assistant", content: text, calls });
    if (calls.length === 0) messages.push({ role: "user", content: nudge });
    const report = await carryOut(calls, messages, journey);
    if (report !== null) return { report };
  }
}

/** Which limit is reached, in words that end a sentence; null where none is. */
function spentIn(turn: number, { model, used, leftMs, limitMs }: Conversation): string | null {
  const { maxTurns, maxTokens } = model.limits;
  if (turn > maxTurns) return `after ${maxTurns} turns`;
  if (leftMs() <= 0) return `within ${Math.round(limitMs / 1_000)} s`;
  return used.tokens.prompt + used.tokens.completion >= maxTokens ? `within ${maxTokens} tokens` : null;
}

async function asked(
  messages: readonly ChatMessage[],
  { model, mask, used, leftMs, signal }: Conversation,
): Promise<Awaited<ReturnType<AgentModel["chat"]["ask"]>>> {
  const sent = masked(shortened(messages), mask);
  const answer = await model.chat.ask(sent, signal, {
    tools: chatTools,
    deadlineMs: Math.min(model.limits.answerMs, Math.max(1, leftMs())),
  });
  const tokens = "because" in answer || answer.tokens.prompt > 0 ? answer.tokens : estimated(sent);
  used.tokens.prompt += tokens.prompt;
  used.tokens.completion += tokens.completion;
  if ("because" in answer) used.failed += 1;
  else used.answered += 1;
  return answer;
}

/** Of endpoints that count none: four characters are about one. */
function estimated(messages: readonly ChatMessage[]): { prompt: number; completion: number } {
  return { prompt: Math.ceil(JSON.stringify(messages).length / 4), completion: 0 };
}

/** In their order; what comes behind a report is left. @returns the report, if there is one */
async function carryOut(calls: readonly ToolCall[], messages: ChatMessage[], journey: Journey): Promise<Report | null> {
  for (const { id, name, arguments: given } of calls) {
    const wish = askedOf(name, given);
    if (wish.is === "report") return wish.report;
    const content = wish.is === "act" ? (await journey.act(wish.tool, wish.input)).text : journey.refuse(name, wish.input, wish.why);
    messages.push({ role: "tool", callId: id, content });
  }
  return null;
}
