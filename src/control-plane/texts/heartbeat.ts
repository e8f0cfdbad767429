import type { HeartbeatState } from "#domain/heartbeat.ts";
import { countText } from "../view/units.ts";

/** English texts of the page of a heartbeat, beside those of every check. */
export const heartbeatTexts = {
  title: "Pings",
  standing: { silent: "no ping", onTime: "pinged", unknown: "no ping yet" },
  figures: {
    onTime: "Not missed",
    pings: "Pings",
    grace: "In the grace",
    late: "Late",
    missed: "Missed",
    last: "Last ping",
    next: "Next one due",
    worst: "Latest by",
  },
  never: "never",
  none: "–",
  overdue: "overdue",
  notWaiting: "after its first ping",
  off: "deactivated",
  until: "or, with the grace, until",
  expected: (period: string, grace: string) => `A ping is expected every ${period}, and may be ${grace} late.`,
  expectedSharp: (period: string) => `A ping is expected every ${period}.`,
  address: "Where jobs ping",
  nothing: "No ping came in this time.",

  chart: {
    title: "Time between pings",
    reading: "each ping by how long after the one before it came",
    label: (pings: number, missed: number) =>
      `Time between pings over this time: ${countText(pings, "ping")}, ${missed} missed; the table below has them`,
    onTime: "in time",
    early: "early",
    grace: "in the grace",
    late: "late, after an alert",
    missed: "missed",
    period: (length: string) => `period ${length}`,
    limit: (length: string) => `period and grace ${length}`,
  },

  lane: "Pings",
  laneLabel: (count: number) => `${countText(count, "event")} in this time; listed below`,
  many: (state: string, count: number) => `${state}, ${count} in a row`,

  table: {
    title: "Pings of this time",
    columns: ["At", "What", "After the one before", "Late by", "From", "Program"],
    cut: (shown: number) => `These are the newest ${shown}. Choose a shorter time for those before.`,
  },
  drawn: (shown: number) => `Only the newest ${shown} pings and misses are drawn. Choose a shorter time for those before.`,
  states: {
    RECEIVED: "in time",
    EARLY: "early",
    GRACE: "in the grace",
    LATE: "late, after an alert",
    FAILING: "missed",
  } satisfies Record<HeartbeatState, string>,
} as const;
