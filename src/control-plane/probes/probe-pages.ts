import { version } from "#daemon/version.ts";
import type { PageAnswer, PageRoute } from "../http/page-routes.ts";
import type { AccountStore } from "../storage/storage.ts";
import type { ClockSteps } from "./clock-watch.ts";
import type { Works } from "./works.ts";

interface ProbePagesDeps {
  readonly accounts: Pick<AccountStore, "list">;
  readonly works: Works;
  readonly clockSteps: Pick<ClockSteps, "last">;
}

export interface ProbePages {
  readonly pages: readonly PageRoute[];
  /** All that the first start makes is there. */
  readonly ready: () => void;
  readonly drain: () => void;
}

/**
 * `/-/liveness`: the process answers. `/-/readiness`: it takes work; 503 before the first start is done, while it drains, and while the
 * store cannot be read or written. `/health`: 503 before the first start is done, as whoever waits for it reads the first key next; from then
 * on 200 to the end, saying the same in words, and when the wall clock stepped last. Both say what works, and since when.
 */
export function probePages({ accounts, works, clockSteps }: ProbePagesDeps): ProbePages {
  const reading = works.reportOf("reading");
  let phase: "starting" | "ready" | "draining" = "starting";

  async function read(): Promise<void> {
    try {
      await accounts.list(); // a row or few, however long the queues are: a probe must not fail for being slow
      reading.worked();
    } catch (error) {
      reading.failed(error);
    }
  }

  async function health() {
    await read();
    const states = works.states();
    const store = [states.reading, states.writing].every(({ status }) => status === "ok") ? "ok" : "unavailable";
    const isWhole = Object.values(states).every(({ status }) => status === "ok");
    const status = phase !== "ready" ? phase : store !== "ok" ? store : isWhole ? "ok" : "degraded";
    return { status, store, version, works: states, clockStep: clockSteps.last() };
  }

  return {
    ready: () => {
      phase = "ready";
    },
    drain: () => {
      phase = "draining";
    },
    pages: [
      { path: "/-/liveness", answer: () => json({ status: "ok" }) },
      {
        path: "/-/readiness",
        answer: async () => {
          const { status, works: states } = await health();
          return { ...json({ status, works: states }), status: ["ok", "degraded"].includes(status) ? 200 : 503 };
        },
      },
      { path: "/health", answer: async () => ({ ...json(await health()), status: phase === "starting" ? 503 : 200 }) },
    ],
  };
}

function json(value: unknown): PageAnswer {
  return { type: "application/json; charset=utf-8", body: JSON.stringify(value) };
}
