import type { HttpServer } from "./server.ts";

/** Base URL that a server listens on; null before it does. */
export function addressOf(server: Pick<HttpServer, "address">): string | null {
  const bound = server.address();
  return bound === null ? null : `${bound.scheme}://${urlHost(bound.host)}:${bound.port}`;
}

/** An IPv6 address needs brackets in a URL; a wildcard address is reached as loopback. */
export function urlHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
