import { once } from "node:events";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { isIPv6, type Socket } from "node:net";
import { credentialsOf } from "#daemon/basic-credentials.ts";
import type { Secret } from "#daemon/secret.ts";
import { AppError } from "#domain/app-error.ts";
import { proxyRefusal } from "./failure-text.ts";

/**
 * A connection to `host` and `port` that an HTTP proxy makes (CONNECT, RFC 9110 section 9.3.6).
 *
 * @throws {AppError} unreachable, when the proxy refuses; else what the system says, or the reason of `signal`
 */
export async function openTunnel(
  proxy: Secret,
  { host, port }: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<Socket> {
  const url = new URL(proxy.reveal());
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const open = url.protocol === "https:" ? requestSecure : requestPlain;
  const authorization = credentialsOf(url);
  const request = open({
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? undefined : Number(url.port),
    method: "CONNECT",
    path: authority,
    headers: { host: authority, ...(authorization !== null && { "proxy-authorization": authorization }) },
    agent: false,
    signal,
  });
  const answered = once(request, "connect", { signal }) as Promise<[IncomingMessage, Socket, Buffer]>;
  request.end();
  const [answer, socket, head] = await answered;
  if (answer.statusCode === 200) {
    if (head.length > 0) socket.unshift(head); // mail servers speak first
    return socket;
  }
  socket.on("error", () => undefined).destroy();
  throw new AppError("unreachable", proxyRefusal(String(answer.statusCode), "SMTP_PROXY"));
}
