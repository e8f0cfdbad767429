import { adviceTexts as texts } from "../../texts/locations.ts";
import { waitText } from "./lengths.ts";
import { advisedPercent, type LocationSigns } from "./location-state.ts";

/** What an operator should do about a location, and how pressing it is. */
export interface Advice {
  readonly grade: "now" | "soon" | "hint";
  readonly text: string;
}

export interface Load extends LocationSigns {
  /** The longest that a run waited in the last hour, milliseconds. */
  readonly longestWaitMs: number;
  /** So long a run may wait before it is missed. */
  readonly queueWaitMs: number;
}

/** Nothing where all is well. */
export function adviceFor({ agents, lastSeenAtMs, longestWaitMs, queueWaitMs }: Load): readonly Advice[] {
  const connected = agents.filter(({ state }) => state === "connected");
  const limit = waitText(queueWaitMs);
  if (connected.length === 0) {
    if (lastSeenAtMs === null) return [];
    return [{ grade: "now", text: texts.noneConnected(limit) }];
  }
  const outdated = connected.filter(({ isOutdated }) => isOutdated).length;
  const clockOff = connected.filter(({ isClockOff }) => isClockOff).length;
  const hints = [connected.length === 1 && texts.alone, outdated > 0 && texts.outdated, clockOff > 0 && texts.clockOff].filter(
    (text) => text !== false,
  );
  return [...capacity(longestWaitMs, queueWaitMs), ...hints.map((text) => ({ grade: "hint", text }) as const)];
}

function capacity(longestWaitMs: number, queueWaitMs: number): readonly Advice[] {
  const percent = (100 * longestWaitMs) / queueWaitMs;
  if (percent < advisedPercent.soon) return [];
  const wait = [waitText(longestWaitMs), Math.floor(percent), waitText(queueWaitMs)] as const;
  return [percent >= advisedPercent.now ? { grade: "now", text: texts.full(...wait) } : { grade: "soon", text: texts.filling(...wait) }];
}
