import { randomUUID, X509Certificate } from "node:crypto";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { AgentSession, openAgentSession, protocolVersion } from "#contract/agent-protocol.ts";
import { withDeadline } from "#daemon/deadline.ts";
import { proxyFor } from "#daemon/proxy.ts";
import type { Secret } from "#daemon/secret.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import { version } from "#daemon/version.ts";
import type { AgentConfig } from "../config.ts";
import { skewOf, skewText } from "../contact/clock-skew.ts";
import { adviceFor, refusals } from "../contact/connection-advice.ts";
import { type ClientReply, createControlPlaneClient } from "../contact/control-plane-client.ts";
import { readLocationKey } from "../contact/location-key.ts";
import { readExtraCas, usualCas } from "../host/extra-ca.ts";
import { withoutBrackets } from "../net/ip-address.ts";
import type { Finding } from "./finding.ts";

const stepLimitMs = 5_000;
const callLimitMs = 15_000;
const trustNext = "look at the certificate that is shown there: openssl s_client -connect host:port";

/** The way to the control plane: key, CAs, proxy, name, port, TLS, session, clock. Stops at the first layer that is broken. */
export async function diagnoseControlPlane(config: AgentConfig, signal: AbortSignal): Promise<readonly Finding[]> {
  const proxy = proxyFor(config.apiUrl, config.proxy);
  const hop = proxy === null ? config.apiUrl : new URL(proxy.reveal());
  const subject = proxy === null ? "control plane" : "proxy";
  const findings: Finding[] = [];
  const isGood = (finding: Finding): boolean => findings.push(finding) > 0 && finding.verdict !== "fail";

  if (!isGood(diagnoseKey(config))) return findings;
  if (!isGood(diagnoseCas(config.extraCaPath))) return findings;
  isGood({ about: "proxy", verdict: "ok", text: wayOf(config, hop, proxy) });
  if (!isGood(await diagnoseName(hop, subject, signal))) return findings;
  if (!isGood(await diagnosePort(hop, subject, signal))) return findings;
  const tls =
    hop.protocol === "https:" ? await diagnoseTls(hop, subject, readExtraCas(config.extraCaPath), signal) : withoutTls(hop, subject);
  if (!isGood(tls)) return [...findings, ...(await clockBehind(hop, tls, subject, signal))];
  findings.push(...(await diagnoseSession(config, proxy, signal)));
  return findings;
}

function diagnoseKey({ key: source }: AgentConfig): Finding {
  const about = "key";
  try {
    const key = readLocationKey(source);
    if (!/^pl_[0-9a-f]{32}$/.test(key.reveal()))
      return {
        about,
        verdict: "warn",
        text: "the key does not look like a location key (pl_ and 32 hexadecimal digits)",
        next: "copy it again",
      };
    if (source.from === "value") return { about, verdict: "ok", text: "a location key is set by API_KEY" };
    const text = `a location key is in ${source.path} (API_KEY_FILE)`;
    if (!source.hidesValue) return { about, verdict: "ok", text };
    return { about, verdict: "warn", text: `${text}; API_KEY is set too, and not used`, next: "keep one of the two" };
  } catch (error) {
    return { about, verdict: "fail", text: messageOf(error), next: "an agent ends at its start with exit code 2 until this is put right" };
  }
}

function diagnoseCas(path: string | null): Finding {
  const about = "CA bundle";
  if (path === null) return { about, verdict: "ok", text: "the usual CAs are trusted (NODE_EXTRA_CA_CERTS is not set)" };
  try {
    const certificates = readExtraCas(path).map((pem) => new X509Certificate(pem));
    const ended = certificates.filter(({ validToDate }) => validToDate.getTime() < Date.now()).length;
    const text = `the usual CAs and ${certificates.length} of ${path} are trusted${ended === 0 ? "" : `; ${ended} of them ended`}`;
    if (ended < certificates.length) return { about, verdict: "ok", text }; // public bundles have some that ended
    return { about, verdict: "warn", text, next: "put in the CA that is in use now; or the clock of this machine is wrong" };
  } catch (error) {
    return {
      about,
      verdict: "fail",
      text: messageOf(error),
      next: "name a PEM or DER file, or a folder of them; an agent ends at its start with exit code 2",
    };
  }
}

function wayOf({ apiUrl, proxy: { http, https } }: AgentConfig, hop: URL, proxy: Secret | null): string {
  if (proxy !== null) return `management traffic goes through the proxy ${hop.host}`;
  const straight = "no proxy: management traffic goes straight to the control plane";
  if ((apiUrl.protocol === "https:" ? https : http) !== null) return `${straight}, as NO_PROXY lists it`;
  if (http !== null || https !== null)
    return `${straight}, as its scheme has none (${http === null ? "HTTPS_PROXY" : "HTTP_PROXY"} is for the other)`;
  return straight;
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
  const ca = [...usualCas(), ...extraCas];
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
      next: adviceFor(problem) ?? trustNext,
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

async function diagnoseSession(config: AgentConfig, proxy: Secret | null, signal: AbortSignal): Promise<readonly Finding[]> {
  const client = createControlPlaneClient(config.apiUrl, proxy, readExtraCas(config.extraCaPath));
  try {
    const key = readLocationKey(config.key);
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
    return [sessionFinding(reply), clockFinding(reply.headers["date"])];
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

function locationOf(reply: ClientReply): string | null {
  try {
    return reply.status === 201 ? AgentSession.parse(JSON.parse(reply.text)).location.name : null;
  } catch {
    return null;
  }
}

function clockFinding(date: string | string[] | undefined): Finding {
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

/** Where a certificate is refused for its dates, the peer is asked for its Date all the same, without a key: the clock may be the cause. */
async function clockBehind(hop: URL, { text }: Finding, subject: string, signal: AbortSignal): Promise<readonly Finding[]> {
  if (!/CERT_(HAS_EXPIRED|NOT_YET_VALID)/.test(text)) return [];
  try {
    const date = await withDeadline(signal, stepLimitMs, "the Date", (bounded) => untilAborted(bounded, untrustedDate(hop, bounded)));
    const found = clockFinding(date);
    const told = found.verdict === "warn" ? { ...found, text: found.text.replace("the control plane's", `the ${subject}'s`) } : found;
    return date === undefined ? [] : [told];
  } catch {
    signal.throwIfAborted();
    return []; // the TLS finding says enough
  }
}

async function untrustedDate(hop: URL, signal: AbortSignal): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const { request } = process.getBuiltinModule("node:https");
  const asked = request(hop, { method: "HEAD", rejectUnauthorized: false, agent: false, signal }, (response) => {
    response.resume();
    resolve(response.headers.date);
  });
  asked.once("error", reject).end();
  return promise;
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
