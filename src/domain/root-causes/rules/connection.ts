import type { Cause, Evidence } from "../cause.ts";
import { type CauseFacts, ofRun } from "../cause-facts.ts";

/** How a connection ended that gave no answer. */
export function connection(facts: CauseFacts): readonly Cause[] {
  const { failure, trace } = facts;
  const { code, endedIn } = failure.seen;
  // A traceroute says more of packets that get no answer.
  if (code === null || (code === "ETIMEDOUT" && endedIn === "tcp" && trace !== null)) return [];
  const found = ends[code]?.(whereOf(facts), endedIn) ?? null;
  return found === null ? [] : [{ ...found, evidence: evidenceOf(facts, code) }];
}

function whereOf({ check, failure }: CauseFacts): string {
  const { address, port } = failure.seen;
  if (address === null) return check.host ?? "The target";
  return port === null ? address : `${address} port ${port}`;
}

function evidenceOf({ failure, good: [last] }: CauseFacts, code: string): readonly Evidence[] {
  const seen = { says: failure.error ?? code, of: ofRun(failure) };
  return last === undefined ? [seen] : [seen, { says: "the last good run got an answer", of: ofRun(last) }];
}

type Found = Omit<Cause, "evidence">;
type Ended = CauseFacts["failure"]["seen"]["endedIn"];

const ends: Readonly<Record<string, (where: string, endedIn: Ended) => Found | null>> = {
  ECONNREFUSED: (where) => ({
    kind: "refused",
    text: `Nothing listens at ${where}: the connection was refused. The host is up, the service is not; start it, or check the port.`,
    confidence: "high",
  }),
  ECONNRESET: (where) => ({
    kind: "closed",
    text: `${where} closed the connection before it answered. Look at the service's log at this time: crashes, restarts and idle limits do that, and so do load balancers without a healthy server.`,
    confidence: "high",
  }),
  ETIMEDOUT: timedOut,
  EPROTO: (where) => ({
    kind: "tls",
    text: `${where} does not speak what the check expects: no TLS, another TLS version, or no HTTP. Check scheme and port, and the TLS settings of the server.`,
    confidence: "high",
  }),
  EALPN: (where) => ({
    kind: "tls",
    text: `${where} does not offer HTTP/2, which gRPC needs. Turn it on, also at a proxy before it.`,
    confidence: "high",
  }),
  ESTARTTLS: (where) => ({ kind: "tls", text: `${where} does not offer STARTTLS. Check the port and the protocol.`, confidence: "high" }),
  EPOLICY: () => ({
    kind: "policy",
    text: "The agent's own egress policy forbids this address. Allow it at the agents, if the check is meant to go there.",
    confidence: "high",
  }),
  EPROXY: () => ({
    kind: "location",
    text: "The location's proxy cannot be used or refuses the target. Look at the proxy, and at the location's proxy settings.",
    confidence: "high",
  }),
};

function timedOut(where: string, endedIn: Ended): Found | null {
  if (endedIn === "dns") return null; // names say it
  if (endedIn === "tcp")
    return {
      kind: "timeout",
      text: `${where} does not answer connection attempts. The host is down, or a firewall drops the packets.`,
      confidence: "high",
    };
  if (endedIn === "tls")
    return {
      kind: "timeout",
      text: `${where} accepts connections, but the TLS handshake hangs. Look at load and TLS settings of the server.`,
      confidence: "high",
    };
  return {
    kind: "timeout",
    text: `${where} accepts connections, but the service does not answer in time. It hangs, is overloaded, or waits for something behind it.`,
    confidence: "high",
  };
}
