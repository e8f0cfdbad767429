import type { z } from "zod";
import type { MaintenanceWindowCreate } from "../../src/contract/maintenance-windows.ts";

type NewWindow = z.input<typeof MaintenanceWindowCreate>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const zones = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"];
const units = ["DAY", "WEEK", "MONTH"] as const;

/**
 * Of teams with tags `team-N`: they repeat since a year ago, and their next time is hours away. Where some shall be open, of ten one pauses and
 * one silences now.
 */
export function maintenanceWindows(count: number, nowMs: number, someOpen = true): readonly NewWindow[] {
  return Array.from({ length: count }, (_, number): NewWindow => {
    const isOpen = someOpen && number % 10 < 2;
    const startsAtMs = nowMs - (isOpen ? 364 * dayMs + hourMs : 364 * dayMs - 6 * hourMs);
    const tag = `team-${number}`;
    return {
      name: `window ${number}`,
      startsAt: new Date(startsAtMs).toISOString(),
      endsAt: new Date(startsAtMs + 4 * hourMs).toISOString(),
      repeatInterval: 1,
      repeatEndsAt: null,
      repeatUnit: isOpen ? "DAY" : (units[number % units.length] ?? "DAY"),
      timezone: zones[number % zones.length] ?? "UTC",
      tags: number % 10 === 1 ? [] : [tag],
      silenceAlertsTags: number % 10 === 0 ? [] : [tag],
    };
  });
}
