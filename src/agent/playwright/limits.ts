import type { TreeLimits } from "../sandbox/keep-tree.ts";

/** Of one run, where settings do not say more. */
export const defaultLimits: TreeLimits = { memoryBytes: 900 * 1024 * 1024, processes: 256, folderBytes: 1024 ** 3 };

/** From the start of a pair until it waits. */
export const startLimitMs = 30_000;
/** After a script's limit, for Playwright to write down what it has. */
export const graceMs = 6_000;
/** Before a script's limit tests are ended, so that what they left is written down: the step, its picture, the trace. */
export function evidenceMs(limitMs: number): number {
  return Math.min(10_000, Math.round(limitMs / 6));
}
/** A pair that waited longer is replaced. */
export const oldestPairMs = 15 * 60_000;
/** Of a line in which a run is told, and of all of them: it is told as it goes on. */
export const mostLineBytes = 16 * 1024 * 1024;
export const mostToldBytes = 64 * 1024 * 1024;
/** Whole lines that wait to be read: a tree that keeps to its task tells one at a time. */
export const mostKeptLines = 1_000;
/** A browser opens up to 32 connections to a proxy; the script has some, too. */
export const mostConnections = 64;
