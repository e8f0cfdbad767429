import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import { AppError } from "#domain/app-error.ts";
import type { Viewer } from "../../http/live-routes.ts";
import type { LiveMetrics } from "../../metrics/live-metrics.ts";
import type { Visit } from "../visit.ts";
import { AccountWatch, type AccountWatchDeps } from "./account-watch.ts";
import type { WantedView } from "./live-view.ts";

export interface LiveHubDeps extends AccountWatchDeps {
  readonly log: Logger;
  readonly liveMetrics: LiveMetrics;
  /** Of this process, and of one person in it; tests have fewer. */
  readonly maxViewers?: number;
  readonly maxOfPerson?: number;
}

export interface LiveHub extends Service {
  /**
   * Before anything is read for a page, so that many at once are no way around it.
   *
   * @param person whom it counts for
   * @returns what gives the seat back
   * @throws {AppError} unavailable where too many look already, or this person at too much
   */
  takeSeat(person: string): () => void;
  /** @returns what ends it */
  join(viewer: Viewer, wanted: readonly WantedView[], visit: Visit): () => void;
}

/** Each costs its connection, some kilobytes, and what waits for it. */
const viewersAtMost = 2_000;
/** All screens of a wall may be signed in as the same; and still nobody takes the seats of all others. */
const ofPersonAtMost = 50;
const turnMs = 1_000;
/** How much of a turn may go into what is slow: a process has other things to do, however many look at it. */
const slowShareMs = 200;

/**
 * Tells pages that are open what changed, once a second. Results may arrive at another process, so the store is asked: for each account
 * somebody looks at, and for no other.
 */
export function createLiveHub(deps: LiveHubDeps): LiveHub {
  const { log, nowMs, liveMetrics, maxViewers = viewersAtMost, maxOfPerson = ofPersonAtMost } = deps;
  const watches = new Map<number, AccountWatch>();
  const seats = new Map<string, number>();
  let taken = 0;

  function count(person: string, more: 1 | -1): void {
    taken += more;
    const ofPerson = (seats.get(person) ?? 0) + more;
    if (ofPerson === 0) seats.delete(person);
    else seats.set(person, ofPerson);
    liveMetrics.setOpenPages(taken);
  }

  function refusalOf(person: string): "full" | "person" | undefined {
    if (taken >= maxViewers) return "full";
    return (seats.get(person) ?? 0) >= maxOfPerson ? "person" : undefined;
  }

  function failed(accountId: number, error: unknown): void {
    log.warn({ accountId, err: error }, "could not update open pages");
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
    takeSeat(person) {
      const refusal = refusalOf(person);
      if (refusal !== undefined) {
        liveMetrics.countLostPage(refusal);
        throw new AppError(
          "unavailable",
          `Too many pages ${refusal === "full" ? "are open" : "of yours are open"}; this one does not change by itself`,
        );
      }
      count(person, 1);
      return () => count(person, -1);
    },
    join(viewer, wanted, visit) {
      const watch = watches.get(visit.account.id) ?? new AccountWatch(deps, visit.account.id);
      watches.set(visit.account.id, watch);
      const leave = wanted.map((view) => watch.join(viewer, view, visit));
      return () => {
        for (const one of leave) one();
      };
    },
  };
}
