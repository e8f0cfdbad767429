import type { MaintenanceWindow } from "#contract/maintenance-windows.ts";
import { maintenanceTexts as texts } from "../../texts/maintenance.ts";

/** `Every 2 weeks until 2026-12-31`, `Once`. */
export function repeatText({ repeatInterval, repeatUnit, repeatEndsAt }: MaintenanceWindow): string {
  if (repeatInterval === null || repeatUnit === null) return texts.once;
  const every = texts.every(repeatInterval, repeatUnit);
  return repeatEndsAt === null ? every : texts.until(every, repeatEndsAt);
}

/** What happens to which checks meanwhile, a sentence each. */
export function effectTexts({ tags, pauseAllChecks, silenceAlertsTags, silenceAllAlerts }: MaintenanceWindow): readonly string[] {
  return [
    pauseAllChecks ? texts.pausesAll : tags.length > 0 && texts.pauses(tags),
    silenceAllAlerts ? texts.silencesAll : silenceAlertsTags.length > 0 && texts.silences(silenceAlertsTags),
  ].filter((text) => text !== false);
}

/** It changes nothing for anybody. */
export function isIdle(window: MaintenanceWindow): boolean {
  return effectTexts(window).length === 0 && !window.statusPageVisibility.enabled;
}
