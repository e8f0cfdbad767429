import { randomUUID } from "node:crypto";
import { AgentSession, openAgentSession, protocolVersion } from "#contract/agent-protocol.ts";
import type { Secret } from "#daemon/secret.ts";
import { version } from "#daemon/version.ts";
import type { AgentConfig } from "../config.ts";
import { skewOf, skewText } from "../contact/clock-skew.ts";
import { adviceFor, refusals } from "../contact/connection-advice.ts";
import { type ClientReply, type ClientRequest, createControlPlaneClient } from "../contact/control-plane-client.ts";
import { readLocationKey } from "../contact/location-key.ts";
import { readExtraCas } from "../host/extra-ca.ts";
import type { Hop } from "./doctor-hop.ts";
import { proxyRefusal } from "./doctor-tunnel.ts";
import { messageOf } from "./failure.ts";
import type { Finding } from "./finding.ts";

const callLimitMs = 15_000;

/** Opens one session, as an agent does at its start. @param proxy the hop that forwards the call; null where nothing but the control plane can answer it */
export async function diagnoseSession(
  config: AgentConfig,
  proxy: Secret | null,
  forwarder: Hop | null,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const client = createControlPlaneClient(config.apiUrl, proxy, readExtraCas(config.extraCaPath));
  try {
    const reply = await client.send(introduction(config), signal);
    if (forwarder !== null && isOfProxy(reply)) return [proxyRefusal(reply.status, forwarder, config.apiUrl)];
    return [sessionFinding(reply), clockFinding(reply.headers["date"])];
  } catch (error) {
    signal.throwIfAborted();
    const reason = messageOf(error);
    const status = Number(/Proxy response \((\d+)\)|Proxy Authentication Required \((407)\)/.exec(reason)?.slice(1).find(Boolean));
    if (forwarder !== null && status > 0) return [proxyRefusal(status, forwarder, config.apiUrl)];
    const next = adviceFor(reason) ?? "see what stands between this machine and the control plane";
    return [{ about: "session", verdict: "fail", text: `the call failed: ${reason}`, next }];
  } finally {
    await client.close();
  }
}

function introduction({ key }: AgentConfig): ClientRequest {
  const body = {
    agentId: randomUUID(),
    name: "doctor",
    version,
    protocol: protocolVersion,
    checkTypes: [],
    capabilities: { doctor: true },
  };
  const headers = { "content-type": "application/json", authorization: `Bearer ${readLocationKey(key).reveal()}` };
  return { method: "POST", path: openAgentSession.path, headers, body: JSON.stringify(body), limitMs: callLimitMs };
}

/** The control plane says everything in JSON. */
function isOfProxy({ status, headers }: ClientReply): boolean {
  return status >= 400 && !/\bjson\b/.test(String(headers["content-type"] ?? ""));
}

function sessionFinding(reply: ClientReply): Finding {
  const location = locationOf(reply);
  if (location !== null) return { about: "session", verdict: "ok", text: `the key is accepted, for the location ${location}` };
  const [text, next] = refusals[reply.status] ?? [
    `something else than the control plane answered (${reply.status}, ${String(reply.headers["content-type"] ?? "no content type")})`,
    "check host, port and path of API_URL; a login page or a proxy may answer in its place",
  ];
  return { about: "session", verdict: "fail", text, next };
}

function locationOf(reply: ClientReply): string | null {
  try {
    return reply.status === 201 ? AgentSession.parse(JSON.parse(reply.text)).location.name : null;
  } catch {
    return null;
  }
}

/** @param date what the peer sent as its Date */
export function clockFinding(date: string | string[] | undefined): Finding {
  const aheadMs = skewOf(date, Date.now());
  if (aheadMs === null) return { about: "clock", verdict: "ok", text: "the reply had no Date to compare with" };
  const skew = skewText(aheadMs);
  if (skew === null) return { about: "clock", verdict: "ok", text: "this machine's clock agrees with the control plane's" };
  return {
    about: "clock",
    verdict: "warn",
    text: `this machine's clock is ${skew}`,
    next: "start a time service (chrony, systemd-timesyncd); results are right all the same, but certificates may look invalid",
  };
}
