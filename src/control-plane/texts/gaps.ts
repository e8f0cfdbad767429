import { countText } from "../view/units.ts";

/** English texts of slots that never became a run. */
export const gapTexts = {
  lane: "No runs",
  label: (count: number) => `${countText(count, "gap")} without runs; listed below`,
  reasons: {
    control_plane_down: "no run: the control plane was down",
    store_unavailable: "no run: the control plane could not write to its database",
    clock_jump: "no run: the control plane's clock was set forward",
    check_changed: "no run: the check was edited",
  },
  slots: (count: number) => countText(count, "slot"),
  until: "to",
  mark: (reason: string, slots: string) => `${reason}; ${slots}`,
} as const;
