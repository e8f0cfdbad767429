import { AppError } from "#domain/app-error.ts";

/** PostgreSQL's codes (appendix A of its manual), Node.js' for names, sockets and certificates. What only the operator can put right. */
const problems: readonly (readonly [code: RegExp, text: string])[] = [
  [/^28/, "refuses this user or its password; correct them, or allow them in pg_hba.conf"],
  [/^3D000/, "has no database of this name; create it, or correct the name"],
  [/^42501/, "does not let this user make tables; grant it CREATE on the database and its schema public"],
  [/^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_|ERR_TLS)/, "shows a certificate that is not trusted; add its CA by NODE_EXTRA_CA_CERTS"],
  [/^ECONNREFUSED/, "refuses connections; start it, or correct host and port"],
  [/^(ENOTFOUND|EAI_)/, "has a name that cannot be resolved; correct it, or look at the name servers in /etc/resolv.conf"],
  [/^57P03/, "is still starting, or recovering"],
  [/^53300/, "has no connection left; raise its max_connections"],
  [/^25006/, "is read-only; name its primary server"],
];

/**
 * Why a PostgreSQL server could not be opened, as a sentence without user and password; null for what is no trouble with the server.
 */
export function openingProblem(error: unknown, databaseUrl: string): string | null {
  const cause = error instanceof AppError && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return null;
  const code = "code" in cause ? String(cause.code) : "";
  const known = problems.find(([pattern]) => pattern.test(code));
  if (known !== undefined) return `DATABASE_URL: the database at ${serverOf(databaseUrl)} ${known[1]} (${code})`;
  if (/does not support SSL/.test(cause.message))
    return `DATABASE_URL: the database at ${serverOf(databaseUrl)} speaks no TLS; drop sslmode`;
  if (!(error instanceof AppError) || error.code !== "unavailable") return null;
  const reason = code === "" ? cause.message : code;
  return `DATABASE_URL: the database at ${serverOf(databaseUrl)} does not answer (${reason}); start it, or open the way to it`;
}

function serverOf(databaseUrl: string): string {
  const { hostname, port, searchParams } = new URL(databaseUrl);
  return `${hostname || searchParams.get("host") || "localhost"}:${port || "5432"}`;
}
