import type { SandboxLevel } from "./sandbox.ts";

/** Settings of SCRIPT_SANDBOX. */
export const wantedLevels = ["auto", "require-1", "require-2", "require-3", "off"] as const;
export type WantedLevel = (typeof wantedLevels)[number];

/** Settings of SCRIPT_EGRESS. */
export const wantedWalls = ["auto", "require"] as const;
export type WantedWall = (typeof wantedWalls)[number];

/** The lowest level at which scripts run. */
export function lowestLevel(wanted: Exclude<WantedLevel, "off">): SandboxLevel {
  return wanted === "require-3" ? 3 : wanted === "require-2" ? 2 : 1;
}
