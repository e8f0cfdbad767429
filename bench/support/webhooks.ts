import { httpServer } from "../../test/support/http-servers/http-server.ts";
import type { Rest } from "./rest.ts";

/** Names end with the number of their check. */
const sentence = /bench (\d+) has (?:failed|recovered)/g;

/** Answers at once, and remembers when each check was told of; a list tells of several. */
export async function webhookReceiver() {
  const at = new Map<number, number[]>();
  let messages = 0;
  const server = await httpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const nowMs = Date.now();
      messages += 1;
      for (const [, number] of Buffer.concat(chunks).toString().matchAll(sentence)) {
        const times = at.get(Number(number)) ?? [];
        at.set(Number(number), [...times, nowMs]);
      }
      response.end("ok");
    });
  });
  return { ...server, at, messages: () => messages };
}

/** Its body is the title alone, and with several alerts their list. */
export async function createWebhook(rest: Rest, target: string, checkIds: readonly string[]): Promise<void> {
  const template = '{{#contains ALERT_TITLE "checks:"}}{{CHECK_ERROR_MESSAGE}}{{else}}{{ALERT_TITLE}}{{/contains}}';
  await rest("POST", "/v1/alert-channels", {
    type: "WEBHOOK",
    config: { name: "bench", url: target, template },
    subscriptions: checkIds.map((checkId) => ({ checkId, activated: true })),
  });
}
