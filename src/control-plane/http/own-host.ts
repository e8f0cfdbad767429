import type { FastifyInstance } from "fastify";
import { AppError } from "#domain/app-error.ts";
import { errorAnswer } from "./errors.ts";
import { hostOf } from "./page-routes.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The only name at which it answers. */
    readonly host?: string;
  }
}

/** Lets nothing answer at such a name but what has no other: pages of people never share an origin with it. */
export function addOwnHosts(app: FastifyInstance, hosts: ReadonlySet<string>): void {
  if (hosts.size === 0) return;
  app.addHook("onRequest", async ({ routeOptions, headers, method, url }, reply) => {
    const host = hostOf(headers);
    if (!hosts.has(host) || routeOptions.config.host === host) return undefined;
    const { status, body } = errorAnswer(new AppError("not_found", `There is no ${method} ${url.split("?")[0] ?? ""}`));
    return reply.code(status).send(body);
  });
}

/** What the router asks of a request's `Host`: this name, at any port. */
export function atHost(hostname: string): { readonly host: RegExp } {
  return { host: new RegExp(`^${RegExp.escape(hostname)}(:\\d+)?$`, "i") };
}
