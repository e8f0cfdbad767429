import { timeOf } from "../maintenance.ts";

/** What people may choose; `given`: an instant that they typed. */
export const snoozeChoices = ["1h", "4h", "tomorrow", "given"] as const;
export type SnoozeChoice = (typeof snoozeChoices)[number];

export function snoozeChoiceOf(text: string): SnoozeChoice | null {
  return snoozeChoices.find((one) => one === text) ?? null;
}

/**
 * Until when a snooze keeps reminders back. @param zone IANA name @param given like `2036-05-05T09:00`, on a clock of that zone
 *
 * @returns null where what was given is no time, or is over
 */
export function snoozeUntilMs(choice: SnoozeChoice, nowMs: number, zone: string, given = ""): number | null {
  if (choice === "1h") return nowMs + 3_600_000;
  if (choice === "4h") return nowMs + 4 * 3_600_000;
  if (choice === "tomorrow") return tomorrowMs(nowMs, zone);
  const atMs = timeOf(given, zone);
  return atMs !== null && atMs > nowMs ? atMs : null;
}

/** Nine in the morning of the next day there. */
function tomorrowMs(nowMs: number, zone: string): number {
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone).toPlainDate();
  return today.add({ days: 1 }).toZonedDateTime({ timeZone: zone, plainTime: "09:00" }).epochMilliseconds;
}
