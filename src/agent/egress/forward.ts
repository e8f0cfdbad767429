import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { nodeHttp } from "#daemon/node-http.ts";
import { withoutBrackets } from "../net/ip-address.ts";
import { parseProxy } from "../net/proxy.ts";
import type { Allowance } from "./allowance.ts";
import { type Network, openPlain } from "./network.ts";
import { Refused } from "./refusal.ts";

/** Of one connection alone (RFC 9110 §7.6.1). */
const hopByHop = ["connection", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer", "upgrade"];

/** A request in plain HTTP with its whole address: sent to its host, or on to the location's proxy. @throws {Refused | ProbeError} */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  network: Network,
  allowance: Allowance,
  signal: AbortSignal,
): Promise<void> {
  const url = URL.parse(request.url ?? "");
  if (url === null || url.protocol !== "http:") throw new Refused(400, "EINVAL", "the address must begin with http://");
  const { socket, isOwn = false } = await openPlain(withoutBrackets(url.hostname), Number(url.port) || 80, network, signal);
  const toProxy = network.proxyUrl === null || isOwn ? null : parseProxy(network.proxyUrl);
  const onward = nodeHttp.request({
    createConnection: () => socket,
    method: request.method,
    path: toProxy === null ? url.pathname + url.search : url.href,
    headers: { ...endToEnd(request), ...(toProxy?.authorization == null ? {} : { "proxy-authorization": toProxy.authorization }) },
    setHost: false,
  });
  const [answer] = await Promise.all([answered(onward), pipeline(request, allowance.meter(), onward)]);
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
  await pipeline(answer, allowance.meter(), response);
}

function endToEnd({ headers }: IncomingMessage): IncomingMessage["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.includes(name)));
}

function answered(request: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.once("response", resolve).once("error", reject);
  return promise;
}
