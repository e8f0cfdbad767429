import { hasCode } from "#domain/app-error.ts";
import type { Viewer } from "../../http/live-routes.ts";
import { type ShownCheck, shownChecks, type TimelineDeps } from "../../pages/dashboards/shown-checks.ts";
import type { IndexedCheck } from "../../storage/storage.ts";
import { rowVersion } from "../overview/row-version.ts";
import type { Visit } from "../visit.ts";
import { CheckBook, type CheckBookDeps } from "./check-book.ts";
import { type AccountReading, Audience, type Figures, type LiveView, type WantedView } from "./live-view.ts";

export interface AccountWatchDeps extends CheckBookDeps, TimelineDeps {}

interface Watched {
  readonly view: LiveView;
  readonly audience: Audience;
}

/** What takes its time to be made, and should be. */
export interface Due {
  readonly sinceMs: number;
  readonly catchUp: () => Promise<void>;
}

/** Everything that viewers of one account look at. What several of them see is read and made once. */
export class AccountWatch {
  readonly #deps: AccountWatchDeps;
  readonly #book: CheckBook;
  readonly #views = new Map<string, Watched>();
  readonly #figures = new Map<number, { readonly version: string; readonly shown: ShownCheck }>();
  /** Of the figures. */
  #hour = 0;

  constructor(deps: AccountWatchDeps, accountId: number) {
    this.#deps = deps;
    this.#book = new CheckBook(deps, accountId);
  }

  get isEmpty(): boolean {
    return this.#views.size === 0;
  }

  /** @returns what ends it */
  join(viewer: Viewer, wanted: WantedView, visit: Visit): () => void {
    // What one role may read is not made for another.
    const key = `${visit.role} ${wanted.key}`;
    const watched = this.#views.get(key) ?? this.#make(key, wanted, visit);
    watched.audience.join(viewer, wanted.has);
    // Its page may be newer than the book: what somebody has just changed must not turn back before his eyes.
    if (wanted.has.size > 0) this.#book.readWholeNext();
    return () => {
      watched.audience.leave(viewer);
      if (watched.audience.isEmpty && this.#views.get(key) === watched) this.#views.delete(key);
    };
  }

  /** Reads what changed, and tells it. */
  async turn(): Promise<void> {
    const reading = await this.#book.read();
    const views = [...this.#views.values()];
    const needed = (await Promise.all(views.map((watched) => this.#look(watched, reading)))).flat();
    const figures = await this.#figuresOf(new Set(needed), reading.nowMs);
    for (const { view } of views) view.tell(figures);
    this.#book.forgetChanges();
  }

  /** What should be made anew, and since when. */
  due(nowMs: number): readonly Due[] {
    return [...this.#views.values()].flatMap((watched) => {
      const { slow } = watched.view;
      const sinceMs = slow?.dueSinceMs(nowMs) ?? null;
      return slow === undefined || sinceMs === null
        ? []
        : [{ sinceMs, catchUp: () => this.#unlessGone(watched, () => slow.catchUp(nowMs)) }];
    });
  }

  #make(key: string, { make }: WantedView, visit: Visit): Watched {
    const audience = new Audience();
    const watched = { audience, view: make(audience, visit) };
    this.#views.set(key, watched);
    return watched;
  }

  async #look(watched: Watched, reading: AccountReading): Promise<readonly IndexedCheck[]> {
    return (await this.#unlessGone(watched, () => watched.view.look(reading))) ?? [];
  }

  /** Who looks at what is gone is let go, and hears it when he comes back. */
  async #unlessGone<T>({ audience }: Watched, act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (error) {
      if (!hasCode(error, "not_found")) throw error;
      audience.end();
      return undefined;
    }
  }

  /** Of checks that have not run since they were read, what was read. */
  async #figuresOf(checks: ReadonlySet<IndexedCheck>, nowMs: number): Promise<Figures> {
    const unread = [...checks].filter((check) => this.#figures.get(check.id)?.version !== rowVersion(check));
    const read = await shownChecks(this.#deps, unread, nowMs);
    for (const [index, check] of unread.entries()) {
      const shown = read[index];
      if (shown !== undefined) this.#figures.set(check.id, { version: rowVersion(check), shown });
    }
    const found = [...checks].flatMap((check): [number, ShownCheck][] => {
      const figures = this.#figures.get(check.id);
      return figures === undefined ? [] : [[check.id, figures.shown]];
    });
    this.#forget(nowMs);
    return new Map(found);
  }

  /** Figures are by the hour; and what nobody looks at any more is read anew when somebody does. */
  #forget(nowMs: number): void {
    const hour = Math.floor(nowMs / 3_600_000);
    if (hour !== this.#hour) this.#figures.clear();
    this.#hour = hour;
  }
}
