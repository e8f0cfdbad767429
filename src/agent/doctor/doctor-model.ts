import type { ChatMessage, ChatTool } from "#daemon/chat-model.ts";
import { createAgentModel } from "../agentic/agent-model.ts";
import type { AgentConfig } from "../config.ts";
import { readExtraCas } from "../host/extra-ca.ts";
import type { Finding } from "./finding.ts";

const about = "agentic model";
const deadlineMs = 20_000;

const oneWord: readonly ChatMessage[] = [
  { role: "system", content: "You answer with one word." },
  { role: "user", content: "Answer with the word ok." },
];
/** An endpoint that takes no tools refuses the question. */
const noTool: ChatTool = { name: "nothing", description: "Does nothing.", parameters: { type: "object", properties: {} } };

/** Whether the model of agentic checks answers one word, by the way, with the key and with tools as runs ask it. Nothing of a check is sent. */
export async function diagnoseModel({ agentic, proxy, extraCaPath }: AgentConfig, signal: AbortSignal): Promise<Finding> {
  if (agentic.model === null)
    return { about, verdict: "ok", text: "no model is set (AGENTIC_MODEL_URL): agentic checks run at other agents" };
  const model = createAgentModel(agentic, proxy, casOf(extraCaPath));
  if (model === null) return { about, verdict: "ok", text: "not wanted (AGENTIC_CONCURRENCY is 0)" };
  try {
    const answer = await model.chat.ask(oneWord, signal, { tools: [noTool], deadlineMs });
    const { url, name } = agentic.model;
    if (!("because" in answer)) return { about, verdict: "ok", text: `the model ${name} at ${url} answers` };
    const next = "check AGENTIC_MODEL_URL, AGENTIC_MODEL and its key, the firewall, HTTPS_PROXY and NO_PROXY, and NODE_EXTRA_CA_CERTS";
    return { about, verdict: "warn", text: `${answer.because} Agentic checks end as an error of this agent (${url})`, next };
  } finally {
    await model.close();
  }
}

/** What is wrong with them the line about the CA bundle says. */
function casOf(path: string | null): () => readonly string[] {
  try {
    const cas = readExtraCas(path);
    return () => cas;
  } catch {
    return () => none;
  }
}

const none: readonly string[] = [];
