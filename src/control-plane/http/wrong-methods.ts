import type { FastifyInstance } from "fastify";
import type { Operation } from "#contract/operation.ts";
import { AppError } from "#domain/app-error.ts";
import { routedPath } from "./routed-path.ts";

const known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"] as const;

/** Not where a GET starts a run: whoever asks for the head of an answer wants nothing to happen (RFC 9110 §9.2.1). */
export function takesHead({ method, rateLimit }: Pick<Operation, "method" | "rateLimit">): boolean {
  return method === "GET" && rateLimit !== "triggers";
}

/**
 * Answers 405 with `Allow` where an operation is at the path and has another method (RFC 9110 §15.5.6). One route a path: without it a name such as
 * `/v1/checks/api` would be taken for the id of a check by the methods that it lacks.
 */
export function addWrongMethods(app: FastifyInstance, operations: readonly Operation[]): void {
  // Parameters of one place may have several names.
  for (const ofPath of Map.groupBy(operations, ({ path }) => path.replace(/\{\w+\}/g, "{}")).values()) {
    const there: ReadonlySet<string> = new Set(ofPath.map(({ method }) => method));
    const allowed: readonly string[] = [...there, ...(ofPath.some(takesHead) ? ["HEAD"] : [])].toSorted();
    app.route({
      method: known.filter((method) => !allowed.includes(method)),
      url: routedPath(ofPath[0]?.path ?? ""),
      config: { isEverywhere: true, isStream: true },
      exposeHeadRoute: false,
      // Not left to the handler: it would read the body first.
      onRequest: async ({ method }, reply) => {
        reply.header("allow", allowed.join(", "));
        throw new AppError("wrong_method", `This address takes ${allowed.join(", ")}, and no ${method}`);
      },
      handler: async () => undefined,
    });
  }
}
