import type { MaintenanceWindow } from "#contract/maintenance-windows.ts";
import { countText } from "../../pages/public/units.ts";

const units = { DAY: "day", WEEK: "week", MONTH: "month" } as const;

/** `Every 2 weeks until 2026-12-31`, `Once`. */
export function repeatText({ repeatInterval, repeatUnit, repeatEndsAt }: MaintenanceWindow): string {
  if (repeatInterval === null || repeatUnit === null) return "Once";
  const unit = units[repeatUnit];
  const every = repeatInterval === 1 ? `Every ${unit}` : `Every ${countText(repeatInterval, unit)}`;
  return repeatEndsAt === null ? every : `${every} until ${repeatEndsAt}`;
}

/** What happens to which checks meanwhile, a sentence each. */
export function effectTexts({ tags, pauseAllChecks, silenceAlertsTags, silenceAllAlerts }: MaintenanceWindow): readonly string[] {
  return [
    pauseAllChecks ? "Pauses all checks" : tags.length > 0 && `Pauses checks with ${tags.join(", ")}`,
    silenceAllAlerts
      ? "Silences all alerts"
      : silenceAlertsTags.length > 0 && `Silences alerts of checks with ${silenceAlertsTags.join(", ")}`,
  ].filter((text) => text !== false);
}
