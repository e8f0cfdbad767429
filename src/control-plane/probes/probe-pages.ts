import type { Logger } from "#daemon/logger.ts";
import { version } from "#daemon/version.ts";
import type { PageAnswer, PageRoute } from "../http/page-routes.ts";
import type { AccountStore } from "../storage/storage.ts";

/**
 * `/-/liveness`: the process answers. `/-/readiness`: it takes work; 503 while it drains or the store does not answer.
 * `/health`: 200 to the end, saying the same in words.
 */
export function probePages(deps: { readonly accounts: Pick<AccountStore, "list">; readonly log: Logger }): {
  readonly pages: readonly PageRoute[];
  readonly drain: () => void;
} {
  let draining = false;

  async function storeAnswers(): Promise<boolean> {
    try {
      await deps.accounts.list(); // a row or few, however long the queues are: a probe must not fail for being slow
      return true;
    } catch (error) {
      deps.log.warn({ err: error }, "the store does not answer");
      return false;
    }
  }

  async function health(): Promise<{ status: string; store: string; version: string }> {
    const store = (await storeAnswers()) ? "ok" : "unavailable";
    return { status: draining ? "draining" : store, store, version };
  }

  return {
    drain: () => {
      draining = true;
    },
    pages: [
      { path: "/-/liveness", answer: () => json({ status: "ok" }) },
      {
        path: "/-/readiness",
        answer: async () => {
          const { status } = draining ? { status: "draining" } : await health();
          return { ...json({ status }), status: status === "ok" ? 200 : 503 };
        },
      },
      { path: "/health", answer: async () => json(await health()) },
    ],
  };
}

function json(value: unknown): PageAnswer {
  return { type: "application/json; charset=utf-8", body: JSON.stringify(value) };
}
