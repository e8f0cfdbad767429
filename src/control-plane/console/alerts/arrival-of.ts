import type { NotificationStatus } from "#contract/alert-notifications.ts";
import type { Tone } from "../../pages/public/state-label.ts";

/** Whether a notification arrived, for people. */
export function arrivalOf(status: NotificationStatus): { readonly tone: Tone; readonly text: string } {
  return arrivals[status];
}

const arrivals: Readonly<Record<NotificationStatus, { readonly tone: Tone; readonly text: string }>> = {
  SUCCESS: { tone: "ok", text: "Sent" },
  FAILURE: { tone: "bad", text: "Not sent" },
  RATE_LIMITED: { tone: "warn", text: "Held back" },
  IN_PROGRESS: { tone: "busy", text: "Being sent" },
};
