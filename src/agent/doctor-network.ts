import { randomUUID } from "node:crypto";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, getCACertificates } from "node:tls";
import { AgentSession, openAgentSession, protocolVersion } from "#contract/agent-protocol.ts";
import { withDeadline } from "#daemon/deadline.ts";
import type { Secret } from "#daemon/secret.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import { version } from "#daemon/version.ts";
import type { AgentConfig } from "./config.ts";
import { type ClientReply, createControlPlaneClient } from "./control-plane-client.ts";
import type { Finding } from "./doctor.ts";
import { readExtraCas } from "./extra-ca.ts";
import { readLocationKey } from "./location-key.ts";
import { proxyFor } from "./management-proxy.ts";
import { withoutBrackets } from "./net/ip-address.ts";

const stepLimitMs = 5_000;
const callLimitMs = 15_000;
/** TLS certificates and people's eyes bear less than this; the protocol itself does not care. */
const noticeableSkewMs = 5_000;

/** The way to the control plane: key, name, port, TLS, proxy, session, clock. Stops at the first layer that is broken. */
export async function diagnoseControlPlane(config: AgentConfig, signal: AbortSignal): Promise<readonly Finding[]> {
  const proxy = proxyFor(config.apiUrl, config.proxy);
  const hop = proxy === null ? config.apiUrl : new URL(proxy.reveal());
  const subject = proxy === null ? "control plane" : "proxy";
  const findings: Finding[] = [];
  const isGood = (finding: Finding): boolean => findings.push(finding) > 0 && finding.verdict !== "fail";

  if (!isGood(await diagnoseKey(config))) return findings;
  const way =
    proxy === null
      ? "no proxy: management traffic goes straight to the control plane"
      : `management traffic goes through the proxy ${hop.host}`;
  isGood({ about: "proxy", verdict: "ok", text: way });
  if (!isGood(await diagnoseName(hop, subject, signal))) return findings;
  if (!isGood(await diagnosePort(hop, subject, signal))) return findings;
  const tls =
    hop.protocol === "https:" ? await diagnoseTls(hop, subject, readExtraCas(config.extraCaPath), signal) : withoutTls(hop, subject);
  if (!isGood(tls)) return findings;
  findings.push(...(await diagnoseSession(config, proxy, signal)));
  return findings;
}

async function diagnoseKey(config: AgentConfig): Promise<Finding> {
  try {
    const key = await readLocationKey(config.key);
    if (/^pl_[0-9a-f]{32}$/.test(key.reveal())) return { about: "key", verdict: "ok", text: "a location key is set" };
    return {
      about: "key",
      verdict: "warn",
      text: "the key does not look like a location key (pl_ and 32 hexadecimal digits)",
      next: "copy it again; user and service keys do not work here",
    };
  } catch (error) {
    return { about: "key", verdict: "fail", text: messageOf(error), next: "check the path and that this user may read the file" };
  }
}

async function diagnoseName(hop: URL, subject: string, signal: AbortSignal): Promise<Finding> {
  const host = withoutBrackets(hop.hostname);
  if (isIP(host) !== 0) return { about: "DNS", verdict: "ok", text: `the ${subject} is given by address, ${host}` };
  try {
    const found = await withDeadline(signal, stepLimitMs, "the look-up", (bounded) => untilAborted(bounded, lookup(host, { all: true })));
    return { about: "DNS", verdict: "ok", text: `${host} is ${found.map(({ address }) => address).join(", ")}` };
  } catch (error) {
    signal.throwIfAborted();
    const isUnknown = codeOf(error) === "ENOTFOUND";
    const next = isUnknown
      ? "check the spelling of API_URL, and the search domains of this host or container"
      : "the name servers in /etc/resolv.conf do not answer; in a container check its DNS settings";
    return {
      about: "DNS",
      verdict: "fail",
      text: `the name ${host} of the ${subject} cannot be resolved (${codeOf(error) || messageOf(error)})`,
      next,
    };
  }
}

async function diagnosePort(hop: URL, subject: string, signal: AbortSignal): Promise<Finding> {
  const port = portOf(hop);
  const startMs = performance.now();
  try {
    const socket = connectTcp({ host: withoutBrackets(hop.hostname), port });
    await opened(socket, "connect", signal);
    return {
      about: "TCP",
      verdict: "ok",
      text: `the ${subject} answers on port ${port} within ${Math.ceil(performance.now() - startMs)} ms`,
    };
  } catch (error) {
    signal.throwIfAborted();
    const isRefused = codeOf(error) === "ECONNREFUSED";
    const next = isRefused
      ? `nothing listens on port ${port} there: check the port in ${subject === "proxy" ? "the proxy's URL" : "API_URL"}`
      : "a firewall is likely: allow outgoing traffic to this host and port";
    return {
      about: "TCP",
      verdict: "fail",
      text: `no connection to ${hop.hostname} port ${port} (${codeOf(error) || messageOf(error)})`,
      next,
    };
  }
}

async function diagnoseTls(hop: URL, subject: string, extraCas: readonly string[], signal: AbortSignal): Promise<Finding> {
  const host = withoutBrackets(hop.hostname);
  const ca = [...getCACertificates("default"), ...extraCas];
  const socket = connectTls({ host, port: portOf(hop), rejectUnauthorized: false, ca, ...(isIP(host) === 0 ? { servername: host } : {}) });
  try {
    await opened(socket, "secureConnect", signal);
    const problem = trustProblem(socket.authorizationError);
    if (problem === null)
      return { about: "TLS", verdict: "ok", text: `the certificate of the ${subject} is trusted (${socket.getProtocol() ?? "TLS"})` };
    return {
      about: "TLS",
      verdict: "fail",
      text: `the certificate of the ${subject} is not trusted (${problem})`,
      next: trustAdvice(problem),
    };
  } catch (error) {
    signal.throwIfAborted();
    const text = `no TLS with ${hop.hostname} port ${portOf(hop)} (${codeOf(error) || messageOf(error)})`;
    return { about: "TLS", verdict: "fail", text, next: "the port may speak plain HTTP: try http:// in API_URL, or the TLS port" };
  }
}

function withoutTls(hop: URL, subject: string): Finding {
  if (/^(localhost|127\..*|\[::1\])$/.test(hop.hostname))
    return { about: "TLS", verdict: "ok", text: `not used: the ${subject} is on this machine` };
  const next = "put TLS in front of it and use https, unless the whole way is yours";
  return { about: "TLS", verdict: "warn", text: `not used: the key and the results can be read on the way to the ${subject}`, next };
}

/** Node.js types it as an Error and gives a code. */
function trustProblem(error: unknown): string | null {
  if (error === null || error === undefined) return null;
  return typeof error === "string" ? error : codeOf(error) || messageOf(error);
}

function trustAdvice(problem: string): string {
  if (problem === "CERT_HAS_EXPIRED" || problem === "CERT_NOT_YET_VALID")
    return "renew the certificate, or correct the clock of this machine";
  if (problem === "ERR_TLS_CERT_ALTNAME_INVALID") return "use a host name in API_URL that the certificate was issued for";
  return "set NODE_EXTRA_CA_CERTS to the CA that issued it (a PEM file or a folder of them)";
}

async function diagnoseSession(config: AgentConfig, proxy: Secret | null, signal: AbortSignal): Promise<readonly Finding[]> {
  const client = createControlPlaneClient(config.apiUrl, proxy, readExtraCas(config.extraCaPath));
  try {
    const key = await readLocationKey(config.key);
    const introduction = {
      agentId: randomUUID(),
      name: "doctor",
      version,
      protocol: protocolVersion,
      checkTypes: [],
      capabilities: { doctor: true },
    };
    const headers = { "content-type": "application/json", authorization: `Bearer ${key.reveal()}` };
    const request = {
      method: "POST",
      path: openAgentSession.path,
      headers,
      body: JSON.stringify(introduction),
      limitMs: callLimitMs,
    } as const;
    const reply = await client.send(request, signal);
    return [sessionFinding(reply), clockFinding(reply)];
  } catch (error) {
    signal.throwIfAborted();
    const is407 = messageOf(error).includes("407");
    const next = is407
      ? "put user and password into the proxy's URL: http://user:password@host:port"
      : "see what stands between this machine and the control plane";
    return [
      {
        about: is407 ? "proxy" : "session",
        verdict: "fail",
        text: is407 ? "the proxy asks for a user and a password (407)" : `the call failed: ${messageOf(error)}`,
        next,
      },
    ];
  } finally {
    await client.close();
  }
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

const refusals: Readonly<Record<number, readonly [text: string, next: string]>> = {
  401: ["nobody issued this key, or it was revoked (401)", "create a new key for the location and set API_KEY or replace the file"],
  403: ["the key is known, but may not be used for an agent (403)", "use a key of a private location (pl_…), not a user or service key"],
  404: ["there is no agent protocol at this address (404)", "API_URL must be the base URL of the control plane, without a path of its API"],
  426: ["agent and control plane do not speak the same protocol (426)", "install the agent version that belongs to the control plane"],
  429: ["the control plane limits this key at the moment (429)", "try again in a minute"],
  502: ["a proxy answers, but the control plane behind it does not (502)", "start the control plane, or look at the proxy's log"],
  503: ["the control plane cannot answer now (503)", "look at its log and its storage"],
  504: ["a proxy answers, but the control plane behind it is too slow (504)", "look at the control plane's log"],
};

function locationOf(reply: ClientReply): string | null {
  try {
    return reply.status === 201 ? AgentSession.parse(JSON.parse(reply.text)).location.name : null;
  } catch {
    return null;
  }
}

function clockFinding(reply: ClientReply): Finding {
  const serverMs = Date.parse(String(reply.headers["date"] ?? ""));
  const skewMs = Date.now() - serverMs;
  if (Number.isNaN(serverMs)) return { about: "clock", verdict: "ok", text: "the reply had no Date to compare with" };
  if (Math.abs(skewMs) < noticeableSkewMs)
    return { about: "clock", verdict: "ok", text: "this machine's clock agrees with the control plane's" };
  const text = `this machine's clock is ${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? "ahead of" : "behind"} the control plane's`;
  return {
    about: "clock",
    verdict: "warn",
    text,
    next: "start a time service (chrony, systemd-timesyncd); results are right all the same, but certificates may look expired",
  };
}

async function opened(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<void> {
  try {
    await withDeadline(signal, stepLimitMs, "the connection", async (bounded) => {
      await once(socket, event, { signal: bounded });
    });
  } finally {
    socket.on("error", () => undefined).destroy();
  }
}

function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors.at(-1));
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
