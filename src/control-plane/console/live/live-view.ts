import type { Viewer } from "../../http/live-routes.ts";
import type { ShownCheck } from "../../pages/dashboards/shown-checks.ts";
import type { IndexedCheck } from "../../storage/storage.ts";
import type { Visit } from "../visit.ts";

/** An account's checks as they are in this second. */
export interface AccountReading {
  readonly nowMs: number;
  /** By group and name. */
  readonly ordered: readonly number[];
  readonly byId: ReadonlyMap<number, IndexedCheck>;
  /** Grows whenever a check came, went or was changed by somebody. */
  readonly definitions: number;
  /** Grows whenever a check stands otherwise than before. */
  readonly states: number;
  /** The checks that have run, or that somebody changed, since the last reading that all views took. */
  readonly changed: ReadonlySet<number>;
}

export type Figures = ReadonlyMap<number, ShownCheck>;

/**
 * What some viewers look at. Once a second it is asked what it needs, and then tells each of them what is new; whatever it tells is made once
 * for all of them.
 */
export interface LiveView {
  /** @returns checks whose figures it tells of. @throws {AppError} not_found when there is nothing to see any more */
  readonly look: (reading: AccountReading) => Promise<readonly IndexedCheck[]>;
  readonly tell: (figures: Figures) => void;
  readonly slow?: SlowPart;
}

/** What takes too long to be made anew each second, for every view that has news. */
export interface SlowPart {
  /** As old is what somebody sees of it who should see it anew; null: all see what there is. */
  readonly dueSinceMs: (nowMs: number) => number | null;
  /** Makes it and tells it. @throws {AppError} not_found when there is nothing to see any more */
  readonly catchUp: (nowMs: number) => Promise<void>;
}

/** Which view somebody wants; the same for all of one role who see the same. */
export interface WantedView {
  readonly key: string;
  readonly make: (audience: Audience, visit: Visit) => LiveView;
  /** What of it the page shows already. */
  readonly has: ReadonlySet<string>;
}

/** The viewers of one view. */
export class Audience {
  readonly #settled = new Set<Viewer>();
  readonly #arriving = new Map<Viewer, ReadonlySet<string>>();

  get isEmpty(): boolean {
    return this.#settled.size + this.#arriving.size === 0;
  }

  /** Those who have been told nothing yet, with what they show already. Who joins after this waits for the next time. */
  arrived(): ReadonlyMap<Viewer, ReadonlySet<string>> {
    return new Map(this.#arriving);
  }

  join(viewer: Viewer, has: ReadonlySet<string>): void {
    this.#arriving.set(viewer, has);
  }

  leave(viewer: Viewer): void {
    this.#settled.delete(viewer);
    this.#arriving.delete(viewer);
  }

  /** Tells those who were here before what is new, and those who came what they have not; from then on all have the same. */
  tell(news: Buffer, arrived: ReadonlyMap<Viewer, ReadonlySet<string>>, toWho: (has: ReadonlySet<string>) => Buffer): void {
    if (news.length > 0) for (const viewer of this.#settled) viewer.send(news);
    for (const [viewer, has] of arrived) {
      if (!this.#arriving.delete(viewer)) continue; // it left meanwhile
      this.#settled.add(viewer);
      const whole = toWho(has);
      if (whole.length > 0) viewer.send(whole);
    }
  }

  end(): void {
    for (const viewer of [...this.#settled, ...this.#arriving.keys()]) viewer.end();
  }
}
