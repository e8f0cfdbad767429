import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import { AppError } from "#domain/app-error.ts";
import type { Viewer } from "../../http/live-routes.ts";
import type { LiveMetrics } from "../../live-metrics.ts";
import type { Visit } from "../visit.ts";
import { AccountWatch, type AccountWatchDeps } from "./account-watch.ts";
import type { WantedView } from "./live-view.ts";

export interface LiveHubDeps extends AccountWatchDeps {
  readonly log: Logger;
  readonly liveMetrics: LiveMetrics;
  /** Of this process; tests have fewer. */
  readonly maxViewers?: number;
}

export interface LiveHub extends Service {
  /** @throws {AppError} unavailable where too many look already */
  refuseTooMany(): void;
  /** @returns what ends it */
  join(viewer: Viewer, wanted: readonly WantedView[], visit: Visit): () => void;
}

/** Each costs its connection, some kilobytes, and what waits for it. */
const viewersAtMost = 2_000;
const turnMs = 1_000;
/** How much of a turn may go into what is slow: a process has other things to do, however many look at it. */
const slowShareMs = 200;

/**
 * Tells pages that are open what changed, once a second. Results may arrive at another process, so the store is asked: for each account
 * somebody looks at, and for no other.
 */
export function createLiveHub(deps: LiveHubDeps): LiveHub {
  const { log, nowMs, liveMetrics, maxViewers = viewersAtMost } = deps;
  const watches = new Map<number, AccountWatch>();
  let viewers = 0;

  function count(more: 1 | -1): void {
    viewers += more;
    liveMetrics.setOpenPages(viewers);
  }

  function failed(accountId: number, error: unknown): void {
    log.warn({ accountId, err: error }, "open pages were not told what changed");
  }

  async function turn(): Promise<number> {
    for (const [accountId, watch] of watches) if (watch.isEmpty) watches.delete(accountId);
    await Promise.all([...watches].map(([accountId, watch]) => watch.turn().catch((error: unknown) => failed(accountId, error))));
    await catchUp();
    return turnMs;
  }

  /** What is oldest comes first; the rest waits for the next turn. */
  async function catchUp(): Promise<void> {
    const fromMs = nowMs();
    const due = [...watches].flatMap(([accountId, watch]) => watch.due(fromMs).map((one) => ({ accountId, ...one })));
    for (const { accountId, catchUp: make } of due.toSorted((a, b) => a.sinceMs - b.sinceMs)) {
      await make().catch((error: unknown) => failed(accountId, error));
      if (nowMs() - fromMs >= slowShareMs) return;
    }
  }

  return {
    ...loop("live pages", turn, () => turnMs),
    refuseTooMany() {
      if (viewers < maxViewers) return;
      liveMetrics.countLostPage("full");
      throw new AppError("unavailable", "Too many pages are open; this one does not change by itself");
    },
    join(viewer, wanted, visit) {
      const watch = watches.get(visit.account.id) ?? new AccountWatch(deps, visit.account.id);
      watches.set(visit.account.id, watch);
      count(1);
      const leave = wanted.map((view) => watch.join(viewer, view, visit));
      return () => {
        count(-1);
        for (const one of leave) one();
      };
    },
  };
}
