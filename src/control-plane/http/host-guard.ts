import type { FastifyInstance } from "fastify";
import { AppError } from "#domain/app-error.ts";
import { errorAnswer } from "./errors.ts";
import { sendPage } from "./form-routes.ts";
import { hostOf, type PageAnswer } from "./page-routes.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Also at names that lead to a page of their own. */
    readonly isEverywhere?: boolean;
    /** Its body is read as it comes, or not at all: nothing of it is kept. */
    readonly isStream?: boolean;
  }
}

/** What people are told where nothing is, at a name that leads to a page of its own; undefined for all other names. */
export type MissingAt = (host: string) => Promise<PageAnswer | undefined>;

/** Answers people at names that lead to a page of their own what belongs to the page, and nothing else of the control plane. */
export function addHostGuard(app: FastifyInstance, missingAt: MissingAt): void {
  app.addHook("onRequest", async ({ routeOptions, headers, method, url }, reply) => {
    if (routeOptions.config.isEverywhere === true) return;
    const page = await missingAt(hostOf(headers));
    if (page === undefined) return;
    if ((headers.accept ?? "").includes("text/html")) return sendPage(reply, page);
    const { status, body } = errorAnswer(new AppError("not_found", `There is no ${method} ${url.split("?")[0] ?? ""}`));
    return reply.code(status).send(body);
  });
}
