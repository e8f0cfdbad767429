import type { CheckTypeName } from "#contract/primitives.ts";
import type { Arrival } from "#domain/alerting/arrivals.ts";
import type { Episode } from "#domain/alerting/episode.ts";
import type { EpisodeAct, EpisodeActKind, EpisodeHandling } from "#domain/alerting/episode-handling.ts";
import type { TimeWindow } from "#domain/time-range.ts";
import type { CheckAlertRow } from "./alerting-stores.ts";
import type { Page } from "./page.ts";

/** An episode with its check, and what people did with it. */
export interface EpisodeRow extends Episode {
  readonly accountId: number;
  readonly check: { readonly id: number; readonly uuid: string; readonly name: string; readonly type: CheckTypeName };
  /** Its error without what differs from run to run. */
  readonly cleanedError: string | null;
  /** That the check looked at when it opened. */
  readonly host: string | null;
  readonly handling: EpisodeHandling;
}

/** Of a list: where it fails, and who was told of its first and its newest alert. */
export interface EpisodeDetail {
  /** Names of locations that its alerts tell of. */
  readonly locations: readonly string[];
  /** No alert of it said that the check fails: it worked all the time. */
  readonly isOnlyDegraded: boolean;
  readonly arrivals: readonly Arrival[];
  /** An alert that no channel has been chosen for yet. */
  readonly isOnItsWay: boolean;
}

export interface EpisodeActRow {
  readonly atMs: number;
  readonly kind: EpisodeActKind;
  readonly by: string;
  readonly detail: string | null;
  readonly untilMs: number | null;
}

/** All of one episode, oldest first. */
export interface EpisodeTimeline {
  /** The newest thousand at most, and the one that opened it; `runLocation` is the location's name. */
  readonly alerts: readonly CheckAlertRow[];
  readonly arrivals: readonly Arrival[];
  readonly acts: readonly EpisodeActRow[];
}

export interface AlertEpisodeStore {
  /** All that are open, the newest first; of one check where its uuid is given. */
  open(accountId: number, checkUuid?: string): Promise<readonly EpisodeRow[]>;
  /** Those that ended, the last one first. */
  closed(accountId: number, filter: ClosedFilter): Promise<Page<EpisodeRow>>;
  /** Undefined also for those of other accounts. */
  find(accountId: number, id: number): Promise<EpisodeRow | undefined>;
  /** The one that an incident of a status page was opened for: by somebody, or by its check, whose newest it is. */
  ofIncident(accountId: number, incidentUuid: string): Promise<EpisodeRow | undefined>;
  /** By id of the episode. */
  details(episodes: readonly Episode[]): Promise<ReadonlyMap<number, EpisodeDetail>>;
  timeline(episode: EpisodeRow): Promise<EpisodeTimeline>;
  /**
   * What somebody does with it; reminders follow at the next tick. @param by as people know him
   *
   * @returns the episode afterwards, and whether it was done: an episode that is over has no reminders to keep back. Undefined: there is no such episode
   */
  act(accountId: number, id: number, act: EpisodeAct, by: string, nowMs: number): Promise<DoneAct | undefined>;
}

export interface DoneAct {
  readonly episode: EpisodeRow;
  readonly isDone: boolean;
}

export interface ClosedFilter {
  readonly checkUuid?: string | undefined;
  /** Only those that failed at some time of it. */
  readonly during?: TimeWindow | undefined;
  readonly page: number;
  readonly limit: number;
}
