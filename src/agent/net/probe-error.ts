/** Whose fault it is: the agent's own resolver, proxy or kernel, or what is being checked. */
export type ProbeSide = "target" | "agent";

/**
 * Why a probe saw no (whole) answer. `code` is stable and decides behaviour (`ECONNREFUSED`, `ENOTFOUND`,
 * `EPOLICY` …); the message is a sentence for people and holds no secrets.
 */
export class ProbeError extends Error {
  override readonly name = "ProbeError";
  readonly code: string;
  readonly side: ProbeSide;

  constructor(code: string, message: string, options: { side?: ProbeSide; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.side = options.side ?? "target";
  }
}

/** The `code` of a system error, or an empty string. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Codes by which the kernel says that this host is out of something, or has no such network. */
const agentCodes: ReadonlySet<string> = new Set([
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
  "ENOMEM",
  "EADDRNOTAVAIL",
  "EAFNOSUPPORT",
  "EACCES",
  "EPERM",
  "ENETDOWN",
]);

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused the connection",
  ECONNRESET: "reset the connection",
  EPIPE: "closed the connection",
  EHOSTUNREACH: "cannot be reached (no route to the host)",
  ENETUNREACH: "cannot be reached (no route to its network)",
  ETIMEDOUT: "did not answer",
  EADDRNOTAVAIL: "cannot be dialled (the agent has no free local address or port)",
  EMFILE: "cannot be dialled (the agent has too many open files)",
};

/** A socket's error as a probe's, told about `peer` (`10.0.0.1:443`). TLS errors of OpenSSL become EPROTO. */
export function socketFailure(cause: unknown, peer: string, step: string): ProbeError {
  const raw = codeOf(cause);
  if (raw.startsWith("ERR_SSL_") || raw === "EPROTO") return tlsFailure(raw, peer, cause);
  const code = raw === "EPIPE" ? "ECONNRESET" : raw || "EUNKNOWN";
  // Node.js calls an early end ECONNRESET as well; only a real reset comes from a system call.
  const sentence = raw === "ECONNRESET" && !fromSystemCall(cause) ? "closed the connection" : (sentences[raw] ?? "failed");
  return new ProbeError(code, `${peer} ${sentence} (${step})`, { side: agentCodes.has(raw) ? "agent" : "target", cause });
}

function fromSystemCall(cause: unknown): boolean {
  return cause instanceof Error && "syscall" in cause && cause.syscall !== undefined;
}

function tlsFailure(raw: string, peer: string, cause: unknown): ProbeError {
  const reason = raw
    .replace(/^ERR_SSL_/, "")
    .replaceAll("_", " ")
    .toLowerCase();
  return new ProbeError("EPROTO", `${peer} ${tlsSentence(reason)}: ${reason}`, { cause });
}

/** Alerts about a certificate, from a server, are about ours: there is no other (RFC 8446 §6.2). */
function tlsSentence(reason: string): string {
  if (reason.endsWith("alert certificate required")) return "wants a client certificate";
  const isRefusal = /alert (bad certificate|unsupported certificate|certificate (revoked|expired|unknown)|unknown ca)$/.test(reason);
  return isRefusal ? "does not accept the client certificate" : "does not speak TLS with us";
}
