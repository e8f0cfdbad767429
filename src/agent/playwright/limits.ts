import type { TreeLimits } from "../sandbox/keep-tree.ts";

/** Of one run, where settings do not say more. */
export const defaultLimits: TreeLimits = { memoryBytes: 900 * 1024 * 1024, processes: 256, folderBytes: 1024 ** 3 };

/** From the start of a pair until it waits. */
export const startLimitMs = 30_000;
/** After a script's limit, for Playwright to write down what it has. */
export const graceMs = 6_000;
/** A pair that waited longer is replaced. */
export const oldestPairMs = 15 * 60_000;
/** Of the line in which a run is told. */
export const mostReportBytes = 16 * 1024 * 1024;
/** A browser opens up to 32 connections to a proxy; the script has some, too. */
export const mostConnections = 64;
