import { isIP } from "node:net";
import type { FastifyInstance } from "fastify";
import { blockList, containsItself } from "#daemon/address-rules.ts";
import { AppError } from "#domain/app-error.ts";
import { hostOf } from "./page-routes.ts";

/** Browsers come by TLS only for a year after they did once. Other names of the domain are their owners' to decide. */
const hsts = "max-age=31536000";

/** Whether an address is that of a proxy whose `X-Forwarded-…` headers count. @param networks in CIDR form; nobody is believed without any */
export function trustIn(networks: readonly string[]): false | ((address: string) => boolean) {
  if (networks.length === 0) return false;
  const list = blockList(networks);
  return (address) => isIP(address) !== 0 && containsItself(list, address);
}

/**
 * What follows from how a request came. By TLS came what a trusted proxy says so of, and what names the host of an https PUBLIC_URL: there
 * the TLS ends before us. Whoever writes that host into a request without TLS gets a header that browsers ignore there (RFC 6797 §8.1).
 */
export function addTransportRules(
  app: FastifyInstance,
  { publicUrl, trustedProxies }: { readonly publicUrl: string | null; readonly trustedProxies: readonly string[] },
): void {
  const own = publicUrl === null ? null : new URL(publicUrl);
  const securedHost = own?.protocol === "https:" ? own.hostname : null;
  app.addHook("onRequest", async (request, reply) => {
    if (request.protocol === "https" || hostOf(request.headers) === securedHost) reply.header("strict-transport-security", hsts);
    // Limits, keys and the audit log go by it.
    if (trustedProxies.length > 0 && isIP(request.ip) === 0)
      throw new AppError(
        "invalid_input",
        `"X-Forwarded-For" must hold addresses alone, received ${JSON.stringify(request.ip.slice(0, 60))}`,
      );
  });
}
