import type { ConnectionFacts } from "#contract/checks/connection.ts";
import type { ProbeFailure, Trail } from "./check-runner.ts";

/** Failures on the way to the target or in its handshake; certificates are told by their own codes. */
const networkCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "EPROTO",
  "ENOTFOUND",
]);

/** The agent's own failures that are worth a look: nobody could resolve the name. */
const resolverCodes: ReadonlySet<string> = new Set(["EDNS", "ETIMEDOUT"]);

/**
 * Where to look for evidence on a failure of a check that went direct; null where the network is not to blame: policies,
 * settings, the agent's own trouble (but for its resolver's), and answers that came but were not as wished.
 *
 * @param connection what was dialled last; null when no address was
 */
export function trailOf(
  target: Pick<Trail, "host" | "port" | "ipFamily" | "tls">,
  connection: ConnectionFacts | null,
  { code, side }: ProbeFailure,
): Trail | null {
  const isNetworks = side === "agent" ? connection === null && resolverCodes.has(code) : networkCodes.has(code);
  if (!isNetworks && connection?.tls?.trustError !== code) return null;
  const { host, port, ipFamily, tls } = target;
  return { host, port, ipFamily: connection?.ipFamily ?? ipFamily, address: connection?.remoteAddress ?? null, tls, code };
}
