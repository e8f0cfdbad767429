import { countText } from "../view/units.ts";

/** English texts of slots that never became a run. */
export const gapTexts = {
  lane: "No runs",
  label: (count: number) => `${countText(count, "time")} in which slots passed without a run; listed below`,
  reasons: {
    control_plane_down: "no run: the control plane was down",
    store_unavailable: "no run: the control plane could not store",
    clock_jump: "no run: the control plane's clock was set forward",
    check_changed: "no run: the check was changed",
  },
  slots: (count: number) => countText(count, "slot"),
  until: "to",
  mark: (reason: string, slots: string) => `${reason}; ${slots}`,
} as const;
