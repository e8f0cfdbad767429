import type { Agent, Dispatcher } from "undici";
import connectTunnel from "undici/lib/api/api-connect.js";
import Pool from "undici/lib/dispatcher/pool.js";
import ProxyAgent from "undici/lib/dispatcher/proxy-agent.js";
import type { Secret } from "./secret.ts";

export interface ProxyDispatcherOptions extends Omit<Agent.Options, "connect"> {
  readonly connect: { readonly timeout: number; readonly ca?: readonly string[] };
}

/** Sends through one proxy: requests of http are forwarded, those of https get a tunnel. The deadline of a connection is the proxy's answer's too. */
export function createProxyDispatcher(proxy: Secret, { connect, ...options }: ProxyDispatcherOptions): Dispatcher {
  const { timeout, ca } = connect;
  const tls = { timeout, ...(ca !== undefined && { ca: [...ca] }) };
  // Its own pool would lack `connect`, which undici's index adds to every dispatcher.
  const clientFactory = (origin: URL, way: object): Dispatcher =>
    Object.assign(new Pool(origin, { ...way, headersTimeout: timeout }), { connect: connectTunnel });
  return new ProxyAgent({ ...options, uri: proxy.reveal(), requestTls: tls, proxyTls: tls, clientFactory });
}
