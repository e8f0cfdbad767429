import type { Child } from "../processes.ts";

/** Something that checks targets at a steady rate, with all of its processes. */
export interface Pipeline extends AsyncDisposable {
  /** By what it is; each counts with its own CPU and memory. */
  readonly processes: Readonly<Record<string, () => readonly number[]>>;
  /** Resolves when the backlog of the start is gone. */
  readonly settled: () => Promise<void>;
  /** Bytes that it keeps on disk now. */
  readonly diskBytes: () => Promise<number>;
  /** What it kept in this time, epoch ms. */
  readonly runs: (fromMs: number, toMs: number) => Promise<Runs>;
}

export interface Runs {
  readonly count: number;
  /** Due → started of each, ms; undefined where the product does not say. */
  readonly lagsMs?: readonly number[];
  /** Slots without a result, and results beyond one a slot. */
  readonly missed?: number;
  readonly doubled?: number;
}

export interface Load {
  readonly checks: number;
  readonly periodSeconds: 10 | 60;
  /** Places that share the checks, an agent each. */
  readonly locations: readonly string[];
  readonly url: string;
  /** Checks beside `checks` that run once a day. */
  readonly stored: number;
  /** Checks that an agent runs at the same time; 100 when absent. */
  readonly seats?: number;
}

export const pidOf = (child: Child): (() => readonly number[]) => {
  return () => [child.pid];
};
