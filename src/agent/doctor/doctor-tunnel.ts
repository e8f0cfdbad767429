import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { credentialsOf } from "#daemon/basic-credentials.ts";
import { withDeadline } from "#daemon/deadline.ts";
import { nodeHttp } from "#daemon/node-http.ts";
import { usualCas } from "../host/extra-ca.ts";
import { withoutBrackets } from "../net/ip-address.ts";
import { type Hop, portOf } from "./doctor-hop.ts";
import { codeOf, messageOf } from "./failure.ts";
import type { Finding } from "./finding.ts";

/** A proxy tries the target itself first, and answers when that gave up. */
const tunnelLimitMs = 15_000;

/** What came of CONNECT. The socket is the caller's to end; null where there is no tunnel. */
export interface Tunnel {
  readonly finding: Finding;
  readonly socket: Socket | null;
}

/** Asks the proxy for a tunnel to the control plane, as each call of an agent does whose API_URL is https. */
export async function diagnoseTunnel(hop: Hop, target: URL, extraCas: readonly string[], signal: AbortSignal): Promise<Tunnel> {
  try {
    const [answer, socket] = await connectThrough(hop.url, authorityOf(target), extraCas, signal);
    if (answer.statusCode === 200) {
      const text = `${hop.url.host} opens a tunnel to ${authorityOf(target)}: the proxy sees neither the key nor the results`;
      return { finding: { about: "proxy", verdict: "ok", text }, socket };
    }
    socket.on("error", () => undefined).destroy();
    return { finding: proxyRefusal(answer.statusCode ?? 0, hop, target), socket: null };
  } catch (error) {
    signal.throwIfAborted();
    const text = `the proxy ${hop.url.host} did not answer CONNECT as an HTTP proxy does (${codeOf(error) || messageOf(error)})`;
    const next = `see what listens there: ${hop.setting} must name an HTTP proxy, with http:// where its own port speaks no TLS; SOCKS is not spoken`;
    return { finding: { about: "proxy", verdict: "fail", text, next }, socket: null };
  }
}

/** What it means that a proxy, and not the control plane, answers with this status. */
export function proxyRefusal(status: number, { url, setting }: Hop, target: URL): Finding {
  const isNamed = url.username !== "" || url.password !== "";
  const [text, next] = meaningOf(status, isNamed, setting, authorityOf(target));
  return { about: "proxy", verdict: "fail", text: `${text} (${status})`, next };
}

function meaningOf(status: number, isNamed: boolean, setting: string, authority: string): readonly [text: string, next: string] {
  const correct = `correct the user and password in ${setting}; special characters are percent-encoded: @ is %40, : is %3A`;
  const allow = `have the proxy's rules allow CONNECT to ${authority}, or name the host in NO_PROXY where the way is open without the proxy`;
  if (status === 407 && !isNamed)
    return [
      "the proxy asks for a user and a password",
      `put user and password into the proxy's URL: ${setting}=http://user:password@host:port`,
    ];
  if (isNamed && (status === 407 || status === 401)) return [`the proxy does not accept the user and password in ${setting}`, correct];
  if (isNamed && status === 403)
    return [`the proxy accepts no connection to ${authority}, or not this user and password`, `${allow}; else ${correct}`];
  if (status === 401 || status === 403) return [`the proxy's rules refuse a connection to ${authority}`, allow];
  if ([500, 502, 503, 504].includes(status))
    // 500 is tinyproxy's
    return [
      `the proxy works, but cannot reach ${authority}`,
      "check the spelling of API_URL, whether the proxy can resolve this name and may connect to it, and whether the control plane runs",
    ];
  return [
    `what answers at ${setting} makes no tunnels`,
    "see whether it is a forward proxy: a web server or a reverse proxy answers so, too",
  ];
}

function connectThrough(
  proxy: URL,
  authority: string,
  extraCas: readonly string[],
  signal: AbortSignal,
): Promise<readonly [IncomingMessage, Socket]> {
  return withDeadline(signal, tunnelLimitMs, "CONNECT", async (bounded) => {
    const isTls = proxy.protocol === "https:";
    const { request } = isTls ? process.getBuiltinModule("node:https") : nodeHttp;
    const authorization = credentialsOf(proxy);
    const asked = request({
      host: withoutBrackets(proxy.hostname),
      port: portOf(proxy),
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...(authorization !== null && { "proxy-authorization": authorization }) },
      agent: false,
      signal: bounded,
      ...(isTls && { ca: [...usualCas(), ...extraCas] }),
    });
    const answered = once(asked, "connect", { signal: bounded }) as Promise<[IncomingMessage, Socket, Buffer]>;
    asked.end();
    const [answer, socket] = await answered;
    return [answer, socket] as const;
  });
}

function authorityOf(target: URL): string {
  return `${target.hostname}:${portOf(target)}`;
}
