import type { HeartbeatState } from "#domain/heartbeat.ts";
import { countText } from "../view/units.ts";

/** English texts of the page of a heartbeat, beside those of every check. */
export const heartbeatTexts = {
  title: "Pings",
  standing: { silent: "no ping", onTime: "pinged", unknown: "no ping yet" },
  figures: {
    onTime: "On time",
    pings: "Pings",
    grace: "In grace period",
    late: "Late",
    missed: "Missed",
    last: "Last ping",
    next: "Next ping due",
    worst: "Longest delay",
  },
  never: "never",
  none: "–",
  overdue: "overdue",
  notWaiting: "after its first ping",
  off: "inactive",
  until: "with grace period, until",
  expected: (period: string, grace: string) => `A ping is expected every ${period}, with a grace period of ${grace}.`,
  expectedSharp: (period: string) => `A ping is expected every ${period}.`,
  address: "Ping URL",
  nothing: "No pings in this range.",

  chart: {
    title: "Time between pings",
    reading: "time since the previous ping",
    label: (pings: number, missed: number) =>
      `Time between pings in this range: ${countText(pings, "ping")}, ${missed} missed; listed in the table below`,
    onTime: "on time",
    early: "early",
    grace: "in grace period",
    late: "late, after an alert",
    missed: "missed",
    period: (length: string) => `period ${length}`,
    limit: (length: string) => `period plus grace ${length}`,
  },

  lane: "Pings",
  laneLabel: (count: number) => `${countText(count, "event")} in this range; listed below`,
  many: (state: string, count: number) => `${state}, ${count} in a row`,

  table: {
    title: "Pings in this range",
    columns: ["Time", "State", "Since previous ping", "Late by", "From", "User agent"],
    cut: (shown: number) => `Showing the newest ${shown}. Choose a shorter range to see earlier pings.`,
  },
  drawn: (shown: number) => `The chart shows only the newest ${shown} pings and misses. Choose a shorter range to see earlier ones.`,
  states: {
    RECEIVED: "on time",
    EARLY: "early",
    GRACE: "in grace period",
    LATE: "late, after an alert",
    FAILING: "missed",
  } satisfies Record<HeartbeatState, string>,
} as const;
