import { askHealth, ownUrls } from "#daemon/ask-health.ts";
import type { Env } from "#daemon/env.ts";
import { exitCode } from "#daemon/exit-code.ts";

const limitMs = 3_000;
const parts = ["agent", "control-plane"] as const;
type Part = (typeof parts)[number];

/**
 * `outpost healthcheck [agent|control-plane] [--ready] [--url URL]`, for a HEALTHCHECK: asks the process of this container by the variables
 * that it was started with, and prints one line. Which process: the one that is named, else an agent where API_URL is set. With `ready`
 * whether it does its work, else whether a restart would help. Loads next to nothing, as it runs every few seconds.
 *
 * @returns the exit code: 0 healthy, 1 not
 */
export async function main(
  env: Env,
  words: readonly string[],
  { url, ready }: { readonly url: string | null; readonly ready: boolean },
): Promise<number> {
  const asked = addressesOf(env, words, { url, ready });
  if (typeof asked === "string") return say(`not healthy: ${asked}`, exitCode.failed);
  const reply = await askHealth(asked, limitMs);
  if ("trouble" in reply) return say(`not healthy: ${reply.trouble}`, exitCode.failed);
  const isHealthy = reply.status >= 200 && reply.status < 300;
  return say(`${isHealthy ? "healthy" : "not healthy"}: ${reply.url} answers ${reply.status}`, isHealthy ? exitCode.done : exitCode.failed);
}

/** A sentence where there is no address to ask. */
function addressesOf(
  env: Env,
  [named, ...more]: readonly string[],
  { url, ready }: { readonly url: string | null; readonly ready: boolean },
): readonly string[] | string {
  if (url !== null) return /^https?:\/\//i.test(url) && URL.canParse(url) ? [url] : "--url must be an http or https URL";
  const part = parts.find((one) => one === (named ?? defaultPart(env)));
  if (part === undefined || more.length > 0) return `name what to ask, ${parts.join(" or ")}, or give --url`;
  const [portName, port, host, lives] =
    part === "agent"
      ? (["AGENT_HEALTH_PORT", valueOf(env, "AGENT_HEALTH_PORT", "8081"), valueOf(env, "AGENT_HEALTH_HOST", "::"), "/-/liveness"] as const)
      : ([...probePort(env), valueOf(env, "HOST", "127.0.0.1"), "/health"] as const);
  const path = ready ? "/-/readiness" : lives;
  const urls = ownUrls(host, Number(port), path, portName === "PORT" && valueOf(env, "TLS_CERT_FILE", "") !== "" ? "https" : "http");
  if (port.trim() === "0") return `${portName} is 0, so the port is known to the process alone; set a port, or give --url`;
  return urls.every((one) => URL.canParse(one)) ? urls : `${portName} is no port; correct it, or give --url`;
}

/** The one that answers while the control plane is busy, where there is one. */
function probePort(env: Env): readonly [name: string, port: string] {
  const port = valueOf(env, "PROBE_PORT", "");
  return port === "" ? ["PORT", valueOf(env, "PORT", "3000")] : ["PROBE_PORT", port];
}

function defaultPart(env: Env): Part {
  return valueOf(env, "API_URL", "") === "" ? "control-plane" : "agent";
}

/** An empty variable counts as absent, as everywhere. */
function valueOf(env: Env, name: string, fallback: string): string {
  return env[name] || fallback;
}

function say(line: string, code: number): number {
  process.stdout.write(`${line}\n`);
  return code;
}
