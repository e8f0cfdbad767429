import { isIP } from "node:net";
import { withDeadline } from "#daemon/deadline.ts";
import { proxyFor } from "#daemon/proxy.ts";
import type { Secret } from "#daemon/secret.ts";
import { isThisMachine } from "#daemon/this-machine.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import type { AgentConfig } from "../config.ts";
import { readExtraCas } from "../host/extra-ca.ts";
import { diagnoseName, diagnosePort, type Hop, stepLimitMs } from "./doctor-hop.ts";
import { diagnoseCas, diagnoseKey } from "./doctor-key.ts";
import { clockFinding, diagnoseSession } from "./doctor-session.ts";
import { diagnoseTls } from "./doctor-tls.ts";
import { diagnoseTunnel } from "./doctor-tunnel.ts";
import type { Finding } from "./finding.ts";

/** The way to the control plane: key, CAs, proxy, name, port, TLS, session, clock. Stops at the first layer that is broken. */
export async function diagnoseControlPlane(config: AgentConfig, signal: AbortSignal): Promise<readonly Finding[]> {
  const proxy = proxyFor(config.apiUrl, config.proxy);
  const target: Hop = { url: config.apiUrl, subject: "control plane", setting: "API_URL" };
  const hop = proxy === null ? target : proxyHop(config.apiUrl, proxy);
  const findings: Finding[] = [];
  const isGood = (...found: readonly Finding[]): boolean => findings.push(...found) > 0 && found.every(({ verdict }) => verdict !== "fail");

  if (!isGood(diagnoseKey(config))) return findings;
  if (!isGood(diagnoseCas(config.extraCaPath))) return findings;
  isGood({ about: "proxy", verdict: "ok", text: wayOf(config, hop.url, proxy) });
  if (!isGood(await diagnoseName(hop, signal))) return findings;
  if (!isGood(await diagnosePort(hop, signal))) return findings;
  const secured = proxy === null ? await securedDirectly(hop, config, signal) : await securedThrough(hop, target, config, signal);
  if (!isGood(...secured)) return findings;
  const forwarder = proxy !== null && config.apiUrl.protocol === "http:" ? hop : null;
  return [...findings, ...(await diagnoseSession(config, proxy, forwarder, signal))];
}

function proxyHop({ protocol }: URL, proxy: Secret): Hop {
  return { url: new URL(proxy.reveal()), subject: "proxy", setting: protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY" };
}

async function securedDirectly(hop: Hop, { extraCaPath }: AgentConfig, signal: AbortSignal): Promise<readonly Finding[]> {
  if (hop.url.protocol !== "https:") return [withoutTls(hop)];
  const found = await diagnoseTls(hop, { extraCas: readExtraCas(extraCaPath), tunnel: null }, signal);
  const behind = await Promise.all(found.map((finding) => clockBehind(hop, finding, signal)));
  return [...found, ...behind.flat()];
}

/** TLS with the proxy where its URL is https, then through its tunnel with the control plane; each only where it is used. */
async function securedThrough(hop: Hop, target: Hop, config: AgentConfig, signal: AbortSignal): Promise<readonly Finding[]> {
  const toProxy = hop.url.protocol === "https:" ? await securedDirectly(hop, config, signal) : [];
  if (toProxy.some(({ verdict }) => verdict === "fail")) return toProxy;
  if (target.url.protocol !== "https:") return toProxy.length > 0 ? toProxy : [withoutTls(hop)];
  const extraCas = readExtraCas(config.extraCaPath);
  const { finding, socket } = await diagnoseTunnel(hop, target.url, extraCas, signal);
  if (socket === null) return [...toProxy, finding];
  return [...toProxy, finding, ...(await diagnoseTls(target, { extraCas, tunnel: socket }, signal))];
}

function wayOf({ apiUrl, proxy: { http, https } }: AgentConfig, hop: URL, proxy: Secret | null): string {
  if (proxy !== null) return `management traffic goes through the proxy ${hop.host}`;
  const straight = "no proxy: management traffic goes straight to the control plane";
  if ((apiUrl.protocol === "https:" ? https : http) !== null) return `${straight}, as NO_PROXY lists it`;
  if (http !== null || https !== null)
    return `${straight}, as its scheme has none (${http === null ? "HTTPS_PROXY" : "HTTP_PROXY"} is for the other)`;
  return straight;
}

function withoutTls({ url, subject }: Hop): Finding {
  if (isThisMachine(url.hostname)) return { about: "TLS", verdict: "ok", text: `not used: the ${subject} is on this machine` };
  const next = "put TLS in front of it and use https, unless the whole way is yours";
  return { about: "TLS", verdict: "warn", text: `not used: the key and the results can be read on the way to the ${subject}`, next };
}

/** Where a certificate is refused for its dates, the peer is asked for its Date all the same, without a key: the clock may be the cause. */
async function clockBehind({ url, subject }: Hop, { text }: Finding, signal: AbortSignal): Promise<readonly Finding[]> {
  if (!/CERT_(HAS_EXPIRED|NOT_YET_VALID)/.test(text)) return [];
  try {
    const date = await withDeadline(signal, stepLimitMs, "the Date", (bounded) => untilAborted(bounded, untrustedDate(url, bounded)));
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
  // Not by the URL: of a proxy it has user and password in it, which would go to whoever answers.
  const host = hop.hostname.replace(/^\[|\]$/g, "");
  const to = { host, port: hop.port === "" ? 443 : Number(hop.port), method: "HEAD", ...(isIP(host) === 0 && { servername: host }) };
  const asked = request({ ...to, rejectUnauthorized: false, agent: false, signal }, (response) => {
    response.resume();
    resolve(response.headers.date);
  });
  asked.once("error", reject).end();
  return promise;
}
