import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import { AppError } from "#domain/app-error.ts";
import type { Viewer } from "../../http/live-routes.ts";
import type { Visit } from "../visit.ts";
import { AccountWatch, type AccountWatchDeps } from "./account-watch.ts";
import type { WantedView } from "./live-view.ts";

export interface LiveHubDeps extends AccountWatchDeps {
  readonly log: Logger;
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

/**
 * Tells pages that are open what changed, once a second. Results may arrive at another process, so the store is asked: for each account
 * somebody looks at, and for no other.
 */
export function createLiveHub(deps: LiveHubDeps): LiveHub {
  const { log, maxViewers = viewersAtMost } = deps;
  const watches = new Map<number, AccountWatch>();
  let viewers = 0;

  async function turn(): Promise<number> {
    for (const [accountId, watch] of watches) if (watch.isEmpty) watches.delete(accountId);
    const failed = (accountId: number, error: unknown): void =>
      log.warn({ accountId, err: error }, "open pages were not told what changed");
    await Promise.all([...watches].map(([accountId, watch]) => watch.turn().catch((error: unknown) => failed(accountId, error))));
    return turnMs;
  }

  return {
    ...loop("live pages", turn, () => turnMs),
    refuseTooMany() {
      if (viewers >= maxViewers) throw new AppError("unavailable", "Too many pages are open; this one does not change by itself");
    },
    join(viewer, wanted, visit) {
      const watch = watches.get(visit.account.id) ?? new AccountWatch(deps, visit.account.id);
      watches.set(visit.account.id, watch);
      viewers += 1;
      const leave = wanted.map((view) => watch.join(viewer, view, visit));
      return () => {
        viewers -= 1;
        for (const one of leave) one();
      };
    },
  };
}
