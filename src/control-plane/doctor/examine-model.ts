import { answerLimitBytes, type ChatMessage, createChatModel } from "#daemon/chat-model.ts";
import type { ProxySettings } from "#daemon/proxy.ts";
import { createEgress } from "../outgoing/egress.ts";
import { createChannelHttp } from "../outgoing/http-client.ts";
import type { ModelSettings } from "../root-causes/model/settings.ts";
import type { Examined } from "./finding.ts";

const about = "root-cause model";
/** A doctor waits no longer, however long analyses may. */
const [longestMs, fewTokens] = [20_000, 16];

const oneWord: readonly ChatMessage[] = [
  { role: "system", content: "You answer with one word." },
  { role: "user", content: "Answer with the word ok." },
];

/** Whether the operator's model answers one word, by the way and with the key that analyses take. Nothing of an account is sent. */
export async function examineModel(settings: ModelSettings | null, proxies: ProxySettings, signal: AbortSignal): Promise<Examined> {
  if (settings === null)
    return { findings: [{ about, verdict: "ok", text: "no model is set (ROOT_CAUSE_MODEL_URL): rules alone look for causes" }] };
  const deadlineMs = Math.min(settings.deadlineMs, longestMs);
  const limits = { connectMs: deadlineMs, headersMs: deadlineMs, bodyMs: deadlineMs, wholeMs: deadlineMs };
  const egress = createEgress({ mode: "default", allowCidrs: [] });
  const http = createChannelHttp({ egress, proxies, nowMs: Date.now, limits, answerBytes: answerLimitBytes });
  try {
    const model = createChatModel({ ...settings, deadlineMs, answerTokens: fewTokens }, http);
    const answer = await model.ask(oneWord, signal);
    if ("text" in answer) return { findings: [{ about, verdict: "ok", text: `the model ${model.name} at ${settings.url} answers` }] };
    const next =
      "check ROOT_CAUSE_MODEL_URL, ROOT_CAUSE_MODEL and its key, the firewall, HTTPS_PROXY and NO_PROXY, and NODE_EXTRA_CA_CERTS";
    return { findings: [{ about, verdict: "warn", text: `${answer.because} Analyses do without it (${settings.url})`, next }] };
  } finally {
    await http.close();
  }
}
