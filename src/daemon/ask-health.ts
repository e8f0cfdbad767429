import type { IncomingMessage } from "node:http";
import { nodeHttp } from "./node-http.ts";

/** What a health address said, or why it said nothing. */
export type HealthReply = { readonly status: number; readonly url: string; readonly text: string } | { readonly trouble: string };

const textLimit = 64 * 1024;

/**
 * Where a server that listens on `host` is reached from its own machine: a wildcard is reached by loopback, of either family, as one of
 * the two may be missing.
 */
export function ownUrls(host: string, port: number, path: string, scheme: "http" | "https" = "http"): readonly string[] {
  const hosts = host === "::" || host === "0.0.0.0" ? ["127.0.0.1", "::1"] : [host];
  return hosts.map((one) => `${scheme}://${one.includes(":") ? `[${one}]` : one}:${port}${path}`);
}

/** Asks one address after the other until one answers, all within `limitMs`. Goes through no proxy. */
export async function askHealth(urls: readonly string[], limitMs: number): Promise<HealthReply> {
  const signal = AbortSignal.timeout(limitMs);
  const troubles: string[] = [];
  for (const url of urls) {
    try {
      return await get(url, signal);
    } catch (error) {
      troubles.push(`${url} ${signal.aborted ? `did not answer within ${limitMs / 1000} s` : reasonOf(error)}`);
      if (signal.aborted) break;
    }
  }
  return { trouble: troubles.join(", ") };
}

async function get(url: string, signal: AbortSignal): Promise<HealthReply> {
  const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // An agent of its own: the global one may have taken a proxy from NODE_USE_ENV_PROXY.
  const asked = url.startsWith("https:")
    ? // Nothing secret is sent or believed, and a container asks itself by an address that its certificate does not name.
      process.getBuiltinModule("node:https").get(url, { signal, agent: false, rejectUnauthorized: false }, resolve)
    : nodeHttp.get(url, { signal, agent: false }, resolve);
  asked.once("error", reject);
  const response = await answered;
  let text = "";
  for await (const chunk of response.setEncoding("utf8") as AsyncIterable<string>) {
    text += chunk;
    if (text.length > textLimit) break;
  }
  return { status: response.statusCode ?? 0, url, text };
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors.at(-1));
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code === "ECONNREFUSED" ? "refuses connections" : `cannot be reached (${code || String(error)})`;
}
