import type { FastifyInstance } from "fastify";

export interface PageAnswer {
  readonly status?: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is served outside the REST operations: probes, metrics, documents for people. Public, GET only. */
export interface PageRoute {
  readonly path: `/${string}`;
  readonly answer: () => PageAnswer | Promise<PageAnswer>;
}

export function addPageRoutes(app: FastifyInstance, pages: readonly PageRoute[]): void {
  for (const page of pages) {
    app.get(page.path, async (_request, reply) => {
      const { status, type, body, headers } = await page.answer();
      return reply
        .code(status ?? 200)
        .headers({ ...headers })
        .type(type)
        .send(body);
    });
  }
}
