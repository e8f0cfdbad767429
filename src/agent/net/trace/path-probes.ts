import type { HopAnswer } from "./hop-answer.ts";

export interface PathPlan {
  readonly maxHops: number;
  /** Silent hops in a row after which the path is given up. */
  readonly maxUnknownHops: number;
  readonly probesPerHop: number;
  /** Probes that reach the target, if it is reached: its loss and times are what counts. At least `probesPerHop`. */
  readonly finalProbes: number;
  /** How many probes may be under way at the same time. */
  readonly window: number;
}

/** One probe and what came of it. Times are of one clock, ms. */
export interface HopProbe {
  readonly hop: number;
  /** 1 when the path is found, then one for each look at all of it. */
  readonly round: number;
  readonly sentMs: number;
  /** Null: nothing came, or not yet. */
  readonly answer: HopAnswer | null;
  /** No more waited for; an answer still counts. */
  readonly isOver: boolean;
  /** Never left this host, or its answer could not be told from others': says nothing about the path. */
  readonly isVoid: boolean;
}

interface Turn {
  /** Null: where the path ends, as it is known then. */
  readonly hop: number | null;
  readonly round: number;
}

/** How long an answer is waited for at most, ms: less than a second, after which the kernel sends a SYN again by itself. */
export const longestWaitMs = 950;
/** Of silent hops in a row these are waited for that long: the way to the next one may be much longer than to those before. */
const patientHops = 3;

/**
 * Which probes to send, and what they came to: pure, told of everything with its time.
 *
 * First round: one probe a hop, outwards, until the target or somebody's refusal answers, or a limit is reached. Then rounds over
 * the hops up to there, for loss and times. A probe with a larger number than the target's hop arrives as well, so the target's
 * hop is the lowest that it answered for.
 */
export class PathProbes {
  readonly #plan: PathPlan;
  readonly #probes: HopProbe[] = [];
  #window: number;
  #nextHop = 1;
  #turns: Turn[] | null = null;
  #again: Turn[] = [];
  #quietUntilMs = Number.NEGATIVE_INFINITY;
  #longestMs = 0;

  constructor(plan: PathPlan) {
    this.#plan = plan;
    this.#window = plan.window;
  }

  /** All probes, by their numbers. */
  get probes(): readonly HopProbe[] {
    return this.#probes;
  }

  /** The hop where the path ends, and why; null while it is not known. */
  get end(): { readonly hop: number; readonly answer: HopAnswer } | null {
    const ends = this.#probes.flatMap(({ hop, answer }) =>
      answer?.is === "target" || answer?.is === "unreachable" ? [{ hop, answer }] : [],
    );
    const targets = ends.filter(({ answer }) => answer.is === "target");
    return lowest(targets.length > 0 ? targets : ends);
  }

  /** The last hop that said anything. */
  get lastHeard(): number {
    return Math.max(0, ...this.#probes.map(({ hop, answer }) => (answer === null ? 0 : hop)));
  }

  /** Hops that were asked for. */
  get lastAsked(): number {
    return this.#nextHop - 1;
  }

  /** The longest round trip so far, ms. */
  get longestMs(): number {
    return this.#longestMs;
  }

  get isOver(): boolean {
    return this.#turns !== null && this.#turns.length === 0 && this.#again.length === 0 && this.#underWay().length === 0;
  }

  /** The number and hop of a probe to send now, which counts as sent; null when nothing is due. */
  next(nowMs: number): { readonly number: number; readonly hop: number } | null {
    if (nowMs < this.#quietUntilMs || this.#underWay().length >= this.#window) return null;
    const turn = this.#again.shift() ?? this.#nextTurn();
    if (turn === undefined) return null;
    const hop = turn.hop ?? this.end?.hop ?? this.lastAsked;
    const number = this.#probes.push({ hop, round: turn.round, sentMs: nowMs, answer: null, isOver: false, isVoid: false }) - 1;
    return { number, hop };
  }

  /** The probe did not leave this host. */
  unsent(number: number): void {
    this.#change(number, { isOver: true, isVoid: true });
  }

  /** An answer; the first one counts. */
  hear(number: number | null, answer: HopAnswer, nowMs: number): void {
    if (number === null) return this.#hearUnnumbered(answer, nowMs);
    const probe = this.#probes[number];
    if (probe === undefined || probe.answer !== null || probe.isVoid) return;
    const rttMs = answer.rttMs ?? nowMs - probe.sentMs;
    this.#longestMs = Math.max(this.#longestMs, rttMs);
    this.#change(number, { isOver: true, answer: { ...answer, rttMs } });
  }

  /** Gives up what was waited for long enough. @returns the numbers of those probes */
  expire(nowMs: number): number[] {
    const late = this.#underWay().filter((number) => {
      const probe = this.#probes[number];
      return probe !== undefined && nowMs - probe.sentMs >= this.#waitMs(probe);
    });
    for (const number of late) this.#change(number, { isOver: true });
    return late;
  }

  /** From a router that sends back too little, or a service at the target: whose answer it is follows from what is under way. */
  #hearUnnumbered(answer: HopAnswer, nowMs: number): void {
    const underWay = this.#underWay();
    const [only] = underWay;
    if (answer.is === "target") {
      const number = underWay.find((one) => (this.#probes[one]?.hop ?? 0) > this.#lastRouter());
      if (number !== undefined) this.hear(number, answer, nowMs);
    } else if (underWay.length === 1 && only !== undefined) {
      this.hear(only, answer, nowMs);
    } else if (underWay.length > 1) {
      // From here on one by one, once the answers to these are surely gone.
      this.#again.push(...underWay.flatMap((one) => this.#probes[one] ?? []).map(({ hop, round }) => ({ hop, round })));
      for (const one of underWay) this.unsent(one);
      this.#window = 1;
      this.#quietUntilMs = nowMs + longestWaitMs;
    }
  }

  #nextTurn(): Turn | undefined {
    if (this.#turns === null) {
      const { maxHops, maxUnknownHops } = this.#plan;
      const hop = this.#nextHop;
      if (hop <= maxHops && hop - this.lastHeard <= maxUnknownHops && this.end === null) {
        this.#nextHop += 1;
        return { hop, round: 1 };
      }
      if (this.#underWay().length > 0) return undefined;
      this.#turns = this.#laterTurns();
    }
    const last = this.end?.hop ?? Number.POSITIVE_INFINITY;
    this.#turns = this.#turns.filter(({ hop }) => hop === null || hop <= last);
    return this.#turns.shift();
  }

  #laterTurns(): Turn[] {
    const { probesPerHop, finalProbes } = this.#plan;
    const { end } = this;
    const last = end?.hop ?? this.lastHeard;
    const turns = rounds(2, probesPerHop).flatMap((round) => Array.from({ length: last }, (_, index) => ({ hop: index + 1, round })));
    const finals = end?.answer.is === "target" ? rounds(probesPerHop + 1, finalProbes) : [];
    return [...turns, ...finals.map((round) => ({ hop: null, round }))];
  }

  #waitMs({ hop, round }: HopProbe): number {
    const silentFor = hop - this.lastHeard;
    if (round === 1) return silentFor > 0 && silentFor <= patientHops ? longestWaitMs : between(300, 3 * this.#longestMs + 100);
    const isSilent = this.#probes.every((probe) => probe.hop !== hop || probe.answer === null);
    return isSilent ? between(150, 2 * this.#longestMs + 50) : between(300, 3 * this.#longestMs + 100);
  }

  #lastRouter(): number {
    return Math.max(0, ...this.#probes.map(({ hop, answer }) => (answer?.is === "router" ? hop : 0)));
  }

  #underWay(): number[] {
    return this.#probes.flatMap(({ isOver }, number) => (isOver ? [] : [number]));
  }

  #change(number: number, change: Partial<HopProbe>): void {
    const probe = this.#probes[number];
    if (probe !== undefined) this.#probes[number] = { ...probe, ...change };
  }
}

function lowest<E extends { readonly hop: number }>(ends: readonly E[]): E | null {
  return ends.reduce<E | null>((best, one) => (best === null || one.hop < best.hop ? one : best), null);
}

function rounds(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

function between(leastMs: number, ms: number): number {
  return Math.min(longestWaitMs, Math.max(leastMs, ms));
}
