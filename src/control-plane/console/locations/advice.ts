import type { MissedReason } from "../../storage/storage.ts";
import { advisedPercent, type Standing } from "./location-state.ts";
import { waitText } from "./texts.ts";

/** What an operator should do about a location, and how pressing it is. */
export interface Advice {
  readonly grade: "now" | "soon" | "hint";
  readonly text: string;
}

export interface Load extends Standing {
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
    const text = `No agent is connected: runs wait ${limit}, then they are missed. See whether the agents' machines are up; on one of them, outpost doctor says what is wrong.`;
    return [{ grade: "now", text }];
  }
  const outdated = connected.filter(({ isOutdated }) => isOutdated).length;
  const clockOff = connected.filter(({ isClockOff }) => isClockOff).length;
  const hints = [
    connected.length === 1 && "One agent alone: while it restarts, runs wait. A second one on another machine takes over.",
    outdated > 0 && "Some agents are older than the control plane: bring them to its version.",
    clockOff > 0 &&
      "The clock of some agents is wrong. Results are right all the same, but certificates may look invalid: start a time service on their machines (chrony, systemd-timesyncd).",
  ].filter((text) => text !== false);
  return [...capacity(longestWaitMs, queueWaitMs), ...hints.map((text) => ({ grade: "hint", text }) as const)];
}

function capacity(longestWaitMs: number, queueWaitMs: number): readonly Advice[] {
  const percent = (100 * longestWaitMs) / queueWaitMs;
  if (percent < advisedPercent.soon) return [];
  const isPressing = percent >= advisedPercent.now;
  const waited = `In the last hour a run waited ${waitText(longestWaitMs)} for an agent, ${Math.floor(percent)} % of what is allowed; after ${waitText(queueWaitMs)} it is missed.`;
  return [
    {
      grade: isPressing ? "now" : "soon",
      text: `${waited} ${isPressing ? "Start another agent that can run it now" : "Plan another agent that can run it"}, or raise JOB_CONCURRENCY.`,
    },
  ];
}

/** Why runs were missed, in words, and what helps. */
export const missedTexts: Readonly<Record<MissedReason, { readonly what: string; readonly remedy: string }>> = {
  no_agent: {
    what: "No agent could run it",
    remedy: "Start an agent. Where some are connected, they lack the check's type or the runtime of its scripts: outpost runtime install.",
  },
  no_capacity: {
    what: "All agents were busy",
    remedy: "Start more agents, or raise JOB_CONCURRENCY; or let checks run less often.",
  },
  expired: {
    what: "An agent took it and brought no result in time",
    remedy:
      "See whether agents restart or lose their connection: their errors below, their logs, the network between them and the control plane.",
  },
  agent_lost: {
    what: "Agents were lost while they ran it, three times",
    remedy: "Look for agents killed for lack of memory, and at what this check makes them do.",
  },
};
