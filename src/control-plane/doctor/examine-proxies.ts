import { once } from "node:events";
import { connect } from "node:net";
import { withDeadline } from "#daemon/deadline.ts";
import type { Secret } from "#daemon/secret.ts";
import type { ControlPlaneConfig } from "../config.ts";
import { failureText, innermost } from "../outgoing/failure-text.ts";
import type { Examined, Finding } from "./finding.ts";

const about = "forward proxy";
const limitMs = 5_000;

/** Whether the proxies on the way to others take connections. What they let through shows where they are used. */
export async function examineProxies({ proxies, channels }: ControlPlaneConfig, signal: AbortSignal): Promise<Examined> {
  const given: readonly (readonly [name: string, url: Secret | null])[] = [
    ["HTTPS_PROXY", proxies.https],
    ["HTTP_PROXY", proxies.http],
    ["SMTP_PROXY", channels.smtp?.proxy ?? null],
  ];
  const set = given.flatMap(([name, url]) => (url === null ? [] : [{ name, url: new URL(url.reveal()) }]));
  if (set.length === 0) return { findings: [{ about, verdict: "ok", text: "none are set: everything is called directly" }] };
  return { findings: await Promise.all(set.map(({ name, url }) => reached(name, url, signal))) };
}

async function reached(name: string, url: URL, signal: AbortSignal): Promise<Finding> {
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) || (url.protocol === "https:" ? 443 : 80) });
  try {
    await withDeadline(signal, limitMs, "the connection", (bounded) => once(socket, "connect", { signal: bounded }));
    return { about, verdict: "ok", text: `${name} is ${url.host}, which takes connections` };
  } catch (error) {
    signal.throwIfAborted();
    const next = `check host and port in ${name}, and the firewall`;
    return { about, verdict: "fail", text: `${name} is ${url.host}, which cannot be reached (${failureText(innermost(error))})`, next };
  } finally {
    socket.on("error", () => undefined).destroy();
  }
}
