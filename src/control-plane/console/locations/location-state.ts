import { locationTexts as texts } from "../../texts/locations.ts";
import type { Tone } from "../../view/state-label.ts";
import { lengthText } from "../../view/units.ts";
import type { Agent } from "./agents.ts";

/** How a location stands, in a shape and a few words. */
export interface LocationState {
  readonly tone: Tone;
  readonly text: string;
}

export interface LocationSigns {
  readonly agents: readonly Agent[];
  /** When an agent was last heard of; null: never. */
  readonly lastSeenAtMs: number | null;
  /** Share of the longest wait that the queue allows, in percent; null where nothing waits. */
  readonly waitPercent: number | null;
  readonly nowMs: number;
}

/** From here on it is said that a location will miss runs soon, and that it is about to. */
export const advisedPercent = { soon: 80, now: 90 } as const;

export function stateOfLocation({ agents, lastSeenAtMs, waitPercent, nowMs }: LocationSigns): LocationState {
  const connected = agents.filter(({ state }) => state === "connected").length;
  if (connected === 0) {
    if (lastSeenAtMs === null) return { tone: "none", text: texts.noAgent };
    if (agents.some(({ state }) => state === "stopping")) return { tone: "warn", text: texts.stopping };
    return { tone: "bad", text: texts.silent(lengthText(nowMs - lastSeenAtMs)) };
  }
  if ((waitPercent ?? 0) >= advisedPercent.soon) return { tone: "warn", text: texts.behind };
  return { tone: "ok", text: texts.stands(connected) };
}
