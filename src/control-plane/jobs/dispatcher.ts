import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import type { AgentSessionRow, JobStore, LeasedJobRow, StorageSignals } from "../storage/storage.ts";

export interface DispatcherDeps {
  readonly jobs: Pick<JobStore, "lease" | "release" | "queueDepths">;
  readonly signals: Pick<StorageSignals, "onJobs">;
  readonly nowMs: () => number;
  readonly leaseMs: number;
  readonly log: Logger;
}

export type PollingAgent = Pick<AgentSessionRow, "id" | "locationId" | "checkTypes" | "runtimes">;

export interface Poll {
  readonly agent: PollingAgent;
  /** Free seats of the agent. */
  readonly max: number;
  readonly waitMs: number;
  /** Aborts when the client went away or the server drains: the poll ends empty, what was leased for it goes back. */
  readonly signal: AbortSignal;
}

interface Waiter extends Poll {
  readonly granted: LeasedJobRow[];
  expired: boolean;
  /** The agent takes nothing any more: what was leased for it goes back. */
  gone: boolean;
  readonly leave: () => void;
  readonly end: (rows: readonly LeasedJobRow[]) => void;
}

/** The agents that wait at one location, longest waiting first. */
interface Line {
  readonly waiters: Set<Waiter>;
  /** Kinds of agents for which there was no more job, and none has come since: their polls wait without asking the store. */
  readonly dry: Set<string>;
  /** Jobs may have come since the last look. */
  stale: boolean;
  /** Nobody waited at the last sweep. */
  left: boolean;
  /** One server per line at a time; a wake-up meanwhile makes it go round once more. */
  serving: boolean;
  again: boolean;
}

/** Jobs that become due later (retries) raise no signal; this is how late they may be noticed. */
const sweepMs = 500;
/** Parked polls of one agent. An agent has one for each kind of its seats; more are left from connections that broke unseen, and the oldest ends. */
const maxPollsOfAgent = 8;

/**
 * Parks the long polls of agents and gives out jobs as they become due. Woken by the store's signal and by a sweep.
 * Jobs are leased in rounds of 1, 2, 4 … for each waiting agent, so that a burst is shared and not taken whole by the first.
 */
export class Dispatcher implements Service {
  readonly name = "dispatcher";
  readonly #deps: DispatcherDeps;
  readonly #lines = new Map<number, Line>();
  readonly #sweeper: Service;
  #unsubscribe = (): void => {};

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#sweeper = loop(
      "dispatcher",
      () => this.#sweep(),
      (error) => {
        deps.log.error({ err: error }, "looking for due jobs failed");
        return 5_000;
      },
    );
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#deps.signals.onJobs((locationIds) => locationIds.forEach((id) => this.#jobsCame(id)));
    await this.#sweeper.start();
  }

  async stop(deadline: AbortSignal): Promise<void> {
    this.#unsubscribe();
    await this.#sweeper.stop(deadline);
  }

  /** Polls that are parked now. */
  waiting(): number {
    return this.#lines.values().reduce((count, { waiters }) => count + waiters.size, 0);
  }

  /** Waits for jobs of the agent's location, up to `waitMs`. */
  poll(poll: Poll): Promise<readonly LeasedJobRow[]> {
    if (poll.signal.aborted) return Promise.resolve([]);
    const { locationId } = poll.agent;
    const line = this.#lines.get(locationId) ?? newLine();
    const own = [...line.waiters].filter(({ agent }) => agent.id === poll.agent.id);
    if (own.length >= maxPollsOfAgent) own[0]?.leave();
    this.#lines.set(locationId, line);
    const { promise, resolve } = Promise.withResolvers<readonly LeasedJobRow[]>();
    const expire = (): void => {
      waiter.expired = true;
      if (!line.serving) this.#settle(line, waiter);
    };
    const timer = setTimeout(expire, poll.waitMs);
    const leave = (): void => {
      waiter.gone = true;
      expire();
    };
    poll.signal.addEventListener("abort", leave, { once: true });
    const end = (rows: readonly LeasedJobRow[]): void => {
      clearTimeout(timer);
      poll.signal.removeEventListener("abort", leave);
      resolve(rows);
    };
    const waiter: Waiter = { ...poll, granted: [], expired: false, gone: false, leave, end };
    line.waiters.add(waiter);
    if (line.stale || !line.dry.has(kindsOf(waiter))) this.#serveSoon(locationId, line);
    return promise;
  }

  /** Ends the parked polls of an agent that drains, empty: it must not be given a job that it would only hand back. */
  endPolls({ id, locationId }: PollingAgent): void {
    for (const waiter of this.#lines.get(locationId)?.waiters ?? []) if (waiter.agent.id === id) waiter.leave();
  }

  /** Puts back jobs whose answer was lost on the way. Should this fail, they come back because their lease is never acknowledged. */
  handBack(agent: PollingAgent, rows: readonly LeasedJobRow[]): void {
    if (rows.length === 0) return;
    const { jobs, nowMs, log } = this.#deps;
    const refs = rows.map(({ no, fence }) => ({ no, fence }));
    jobs.release(agent.id, refs, nowMs()).catch((error: unknown) => log.warn({ jobs: rows.length, err: error }, "releasing jobs failed"));
  }

  #jobsCame(locationId: number): void {
    const line = this.#lines.get(locationId);
    if (line === undefined) return;
    line.stale = true;
    this.#serveSoon(locationId, line);
  }

  #serveSoon(locationId: number, line: Line): void {
    line.again = true;
    if (!line.serving) void this.#serve(locationId, line);
  }

  async #serve(locationId: number, line: Line): Promise<void> {
    line.serving = true;
    while (line.again && line.waiters.size > 0) {
      line.again = false;
      if (line.stale) line.dry.clear();
      line.stale = false;
      const present = [...line.waiters];
      await this.#lease(line, present).catch((error: unknown) => this.#deps.log.error({ locationId, err: error }, "leasing jobs failed"));
      for (const waiter of present) if (waiter.expired || waiter.granted.length > 0) this.#settle(line, waiter);
    }
    line.serving = false;
  }

  async #lease({ dry }: Line, waiters: readonly Waiter[]): Promise<void> {
    const isOpen = (waiter: Waiter): boolean => waiter.granted.length < waiter.max && !dry.has(kindsOf(waiter));
    let open = waiters.filter((waiter) => !waiter.expired && isOpen(waiter));
    // Alone, an agent takes all that it can run.
    for (let round = open.length === 1 ? 1000 : 1; open.length > 0; round *= 2) {
      for (const waiter of open) {
        if (dry.has(kindsOf(waiter))) continue;
        const max = Math.min(round, waiter.max - waiter.granted.length);
        const rows = await this.#leaseFor(waiter.agent, max);
        waiter.granted.push(...rows);
        if (rows.length < max) dry.add(kindsOf(waiter));
      }
      open = open.filter(isOpen);
    }
  }

  #leaseFor({ id, locationId, checkTypes, runtimes }: PollingAgent, max: number): Promise<readonly LeasedJobRow[]> {
    const { jobs, nowMs, leaseMs } = this.#deps;
    return jobs.lease({ agentSession: id, locationId, checkTypes, runtimes, max, nowMs: nowMs(), leaseMs });
  }

  #settle(line: Line, waiter: Waiter): void {
    if (!line.waiters.delete(waiter)) return;
    if (waiter.gone) this.handBack(waiter.agent, waiter.granted);
    waiter.end(waiter.gone ? [] : waiter.granted);
  }

  async #sweep(): Promise<number> {
    if (this.#lines.size === 0) return sweepMs;
    const { jobs, nowMs } = this.#deps;
    for (const { locationId, queued } of await jobs.queueDepths(nowMs())) if (queued > 0) this.#jobsCame(locationId);
    this.#forgetLeft();
    return sweepMs;
  }

  /** Between two polls of an agent its line stays, with what is known of it. */
  #forgetLeft(): void {
    for (const [locationId, line] of this.#lines) {
      const isLeft = line.waiters.size === 0 && !line.serving;
      if (isLeft && line.left) this.#lines.delete(locationId);
      line.left = isLeft;
    }
  }
}

function newLine(): Line {
  return { waiters: new Set(), dry: new Set(), stale: false, left: false, serving: false, again: false };
}

/** Agents of which one gets a job that another does not get have different ones. */
function kindsOf({ agent }: Waiter): string {
  return [...agent.checkTypes, "|", ...agent.runtimes].join();
}
