import type { NotificationStatus } from "#contract/alert-notifications.ts";
import { alertTexts as texts } from "../../texts/alerts.ts";
import type { Tone } from "../../view/state-label.ts";

/** Whether a notification arrived, for people. */
export function deliveryState(status: NotificationStatus): { readonly tone: Tone; readonly text: string } {
  return { tone: tones[status], text: texts.arrivals[status] };
}

const tones: Readonly<Record<NotificationStatus, Tone>> = { SUCCESS: "ok", FAILURE: "bad", RATE_LIMITED: "warn", IN_PROGRESS: "busy" };
