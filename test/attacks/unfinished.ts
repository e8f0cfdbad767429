import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";

/**
 * Posts the beginning of a body and never its end.
 *
 * @returns the status of an answer that did not wait for the end
 * @throws when none came within five seconds
 */
export async function unfinished(url: string, begin: string | Buffer, headers: Readonly<Record<string, string>>): Promise<number> {
  const sent = request(url, { method: "POST", headers: { "transfer-encoding": "chunked", ...headers }, agent: false });
  try {
    sent.write(begin);
    const [answer] = (await once(sent, "response", { signal: AbortSignal.timeout(5_000) })) as [IncomingMessage];
    return answer.statusCode ?? 0;
  } finally {
    sent.on("error", () => undefined).destroy();
  }
}
