import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { withDeadline } from "#daemon/deadline.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import { withoutBrackets } from "../net/ip-address.ts";
import { codeOf, messageOf } from "./failure.ts";
import type { Finding } from "./finding.ts";

/** The next host on the way. */
export interface Hop {
  readonly url: URL;
  readonly subject: "control plane" | "proxy";
  /** The variable that names it. */
  readonly setting: "API_URL" | "HTTPS_PROXY" | "HTTP_PROXY";
}

export const stepLimitMs = 5_000;

/** Whether the name of the next host on the way is known here. */
export async function diagnoseName({ url, subject, setting }: Hop, signal: AbortSignal): Promise<Finding> {
  const host = withoutBrackets(url.hostname);
  if (isIP(host) !== 0) return { about: "DNS", verdict: "ok", text: `the ${subject} is given by address, ${host}` };
  try {
    const found = await withDeadline(signal, stepLimitMs, "the look-up", (bounded) => untilAborted(bounded, lookup(host, { all: true })));
    return { about: "DNS", verdict: "ok", text: `${host} is ${found.map(({ address }) => address).join(", ")}` };
  } catch (error) {
    signal.throwIfAborted();
    const isUnknown = codeOf(error) === "ENOTFOUND";
    const next = isUnknown
      ? `check the spelling of ${setting}, and the search domains of this host or container`
      : "the name servers in /etc/resolv.conf do not answer; in a container check its DNS settings";
    return {
      about: "DNS",
      verdict: "fail",
      text: `the name ${host} of the ${subject} cannot be resolved (${codeOf(error) || messageOf(error)})`,
      next,
    };
  }
}

/** Whether it takes connections. */
export async function diagnosePort({ url, subject, setting }: Hop, signal: AbortSignal): Promise<Finding> {
  const port = portOf(url);
  const startMs = performance.now();
  try {
    await connected(url, port, signal);
    return {
      about: "TCP",
      verdict: "ok",
      text: `the ${subject} answers on port ${port} within ${Math.ceil(performance.now() - startMs)} ms`,
    };
  } catch (error) {
    signal.throwIfAborted();
    const isRefused = codeOf(error) === "ECONNREFUSED";
    const next = isRefused
      ? `nothing listens on port ${port} there: check the port in ${setting}`
      : "a firewall is likely: allow outgoing traffic to this host and port";
    return {
      about: "TCP",
      verdict: "fail",
      text: `no connection to ${url.hostname} port ${port} (${codeOf(error) || messageOf(error)})`,
      next,
    };
  }
}

async function connected(url: URL, port: number, signal: AbortSignal): Promise<void> {
  const socket = connectTcp({ host: withoutBrackets(url.hostname), port });
  try {
    await opened(socket, "connect", signal);
  } finally {
    socket.on("error", () => undefined).destroy();
  }
}

/** Waits for the event of a socket, which is the caller's to end. */
export async function opened(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<void> {
  await withDeadline(signal, stepLimitMs, "the connection", async (bounded) => {
    await once(socket, event, { signal: bounded });
  });
}

export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}
