import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { z } from "zod";
import { askHealth, ownUrls } from "#daemon/ask-health.ts";
import { certificateLine } from "#daemon/certificate-line.ts";
import { withDeadline } from "#daemon/deadline.ts";
import { proxyFor } from "#daemon/proxy.ts";
import { isThisMachine } from "#daemon/this-machine.ts";
import { version as ours } from "#daemon/version.ts";
import { oneLine } from "#domain/alerting/plain-text.ts";
import { AppError } from "#domain/app-error.ts";
import type { ControlPlaneConfig } from "../config.ts";
import { failureText, innermost } from "../outgoing/failure-text.ts";
import type { HttpAnswer } from "../outgoing/http-client.ts";
import { openTunnel } from "../outgoing/tunnel.ts";
import { clockOf } from "./examine-clock.ts";
import { ask } from "./examine-openid.ts";
import type { Examined, Finding } from "./finding.ts";

const about = "public URL";
const stepLimitMs = 5_000;
const Health = z.object({ status: z.string(), store: z.string(), version: z.string() });

type Settings = Pick<ControlPlaneConfig, "publicUrl" | "proxies" | "host" | "port" | "tls">;

/** PUBLIC_URL as its users ask it: the certificate that is shown there, and whether this Outpost answers. */
export async function examinePublicUrl(config: Settings, signal: AbortSignal): Promise<Examined> {
  if (config.publicUrl === null) {
    const next = "set PUBLIC_URL to the address that people and agents use";
    const text = `PUBLIC_URL is not set: links in mails and messages lead to http://${config.host}:${config.port}`;
    return { findings: [{ about, verdict: "warn", text, next }] };
  }
  const url = new URL(`${config.publicUrl}/health`);
  const shown = url.protocol === "https:" ? await certificateAt(url, config, signal) : [plain(url)];
  if (shown.some(({ verdict }) => verdict === "fail")) return { findings: shown };
  const answered = await answerAt(url, config, signal);
  return { findings: [...answered.findings, ...shown], ...(answered.clocks && { clocks: answered.clocks }) };
}

function plain({ hostname }: URL): Finding {
  if (isThisMachine(hostname)) return { about, verdict: "ok", text: "it needs no TLS on this machine" };
  const next = "put TLS in front of it, or set TLS_CERT_FILE and TLS_KEY_FILE; then PUBLIC_URL begins with https://";
  return { about, verdict: "warn", text: "it is http: passwords and keys can be read on the way", next };
}

async function certificateAt(url: URL, { proxies }: Settings, signal: AbortSignal): Promise<readonly Finding[]> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port) || 443;
  const proxy = proxyFor(url, proxies);
  let wire: Socket | null = null;
  try {
    return await withDeadline(signal, stepLimitMs * 2, "the certificate", async (bounded) => {
      wire = proxy === null ? connectTcp({ host, port }) : await openTunnel(proxy, { host, port }, bounded);
      if (proxy === null) await once(wire, "connect", { signal: bounded });
      const tls = connectTls({ socket: wire, host, rejectUnauthorized: false, ...(isIP(host) === 0 && { servername: host }) });
      tls.on("error", () => undefined);
      await once(tls, "secureConnect", { signal: bounded });
      return [certificateFinding(new X509Certificate(tls.getPeerCertificate().raw), trustProblem(tls.authorizationError))];
    });
  } catch (error) {
    signal.throwIfAborted();
    return [unreached(failureText(innermost(error)))];
  } finally {
    (wire as Socket | null)?.on("error", () => undefined).destroy();
  }
}

/** Node.js types it as an Error and gives a code; empty where the certificate is trusted. */
function trustProblem(error: unknown): string {
  if (typeof error === "string") return error;
  return error instanceof Error ? failureText(error) : "";
}

function certificateFinding(certificate: X509Certificate, problem: string): Finding {
  const { text: line, endsSoon } = certificateLine(certificate, Date.now());
  if (problem === "")
    return endsSoon
      ? { about, verdict: "warn", text: `its certificate: ${line}`, next: "renew the certificate" }
      : { about, verdict: "ok", text: `its certificate: ${line}` };
  const text = `its certificate is refused (${problem}): ${line}`;
  const isOfDates = /CERT_(HAS_EXPIRED|NOT_YET_VALID)/.test(problem);
  const next = isOfDates
    ? "renew the certificate, or correct this machine's clock"
    : problem.includes("ALTNAME")
      ? "use a certificate for the host of PUBLIC_URL, or the host that it is for in PUBLIC_URL"
      : "browsers and agents must trust its CA: NODE_EXTRA_CA_CERTS of agents, and here, to have it examined further";
  return { about, verdict: "fail", text, next };
}

function unreached(reason: string): Finding {
  const next = "start the control plane if it does not run; else look at its name, the firewall, and the proxy in front";
  return { about, verdict: "fail", text: `nobody answers at PUBLIC_URL (${reason})`, next };
}

async function answerAt(url: URL, config: Settings, signal: AbortSignal): Promise<Examined> {
  try {
    const answer = await ask(url, config.proxies, signal);
    return { findings: [await judged(answer, config)], clocks: clockOf("that of PUBLIC_URL", answer.headers["date"]) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return { findings: [unreached(error.message)] };
  }
}

async function judged({ status, headers, text }: HttpAnswer, { host, port, tls }: Settings): Promise<Finding> {
  const health = healthIn(text);
  if (status === 200 && health !== null) {
    if (health.version === ours)
      return { about, verdict: "ok", text: `an Outpost of this version answers there (${oneLine(health.status, 30)})` };
    const other = `an Outpost of version ${oneLine(health.version, 40)} answers there, and this is ${ours}`;
    return { about, verdict: "warn", text: other, next: "as during an upgrade; else PUBLIC_URL leads to another installation" };
  }
  if (status >= 300 && status < 400) {
    const to = oneLine(String(headers["location"] ?? "nowhere"), 200);
    return {
      about,
      verdict: "fail",
      text: `it leads on to ${to} (${status})`,
      next: "set PUBLIC_URL to where it ends: agents and pings follow no redirect",
    };
  }
  if ([502, 503, 504].includes(status)) {
    const own = await askHealth(ownUrls(host, port, "/health", tls === null ? "http" : "https"), 2_000);
    const runs =
      "trouble" in own
        ? `no control plane answers on port ${port} of this machine`
        : `the control plane answers on port ${port} of this machine`;
    const next = "start the control plane if it does not run; else correct the address that the proxy in front passes requests to";
    return { about, verdict: "fail", text: `a proxy answers there, but cannot reach the control plane (${status}); ${runs}`, next };
  }
  const type = oneLine(String(headers["content-type"] ?? "no content type"), 60);
  const next = "check PUBLIC_URL; a proxy in front must pass every path on, /health too, with the Host header as it came";
  return { about, verdict: "fail", text: `something else than Outpost answers there (${status}, ${type})`, next };
}

function healthIn(text: string): z.output<typeof Health> | null {
  try {
    return Health.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
