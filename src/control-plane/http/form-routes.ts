import type { FastifyInstance } from "fastify";
import type { PageAnswer } from "./page-routes.ts";

/** What somebody sent from a page, or asks for by a link in a mail. */
export interface FormRequest {
  /** By their names in the route's path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Of the body; empty where it is no form. */
  readonly fields: URLSearchParams;
  readonly remoteAddress: string;
}

/** Public, for people without an account. */
export interface FormRoute {
  readonly method: "GET" | "POST";
  /** With parameters as in paths of operations: `/subscriptions/{token}/confirm`. */
  readonly path: `/${string}`;
  /** @throws {AppError} answered as JSON, like everywhere */
  readonly answer: (request: FormRequest) => Promise<PageAnswer>;
}

export function addFormRoutes(app: FastifyInstance, routes: readonly FormRoute[]): void {
  for (const { method, path, answer } of routes) {
    app.route({
      method,
      url: path.replace(/\{(\w+)\}/g, ":$1"),
      handler: async (request, reply) => {
        const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers["content-type"] ?? "");
        const fields = new URLSearchParams(isForm && Buffer.isBuffer(request.body) ? request.body.toString("utf8") : "");
        const params = request.params as Readonly<Record<string, string>>; // the router found them by their names
        const { status, type, body, headers } = await answer({ params, fields, remoteAddress: request.ip });
        return reply
          .code(status ?? 200)
          .headers({ ...headers })
          .type(type)
          .send(body);
      },
    });
  }
}
