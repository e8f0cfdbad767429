import type { CheckAlert, CheckAlertType } from "#contract/check-alerts.ts";
import { alertTexts as texts } from "../../texts/alerts.ts";
import type { Tone } from "../../view/state-label.ts";

const tones: Readonly<Record<CheckAlertType, Tone>> = {
  NO_ALERT: "none",
  ALERT_FAILURE: "bad",
  ALERT_FAILURE_REMAIN: "bad",
  ALERT_FAILURE_DEGRADED: "warn",
  ALERT_RECOVERY: "ok",
  ALERT_DEGRADED: "warn",
  ALERT_DEGRADED_REMAIN: "warn",
  ALERT_DEGRADED_FAILURE: "bad",
  ALERT_DEGRADED_RECOVERY: "ok",
  ALERT_SSL: "warn",
};

/** What an alert says, in a word or two. */
export function saidBy({ alertType }: Pick<CheckAlert, "alertType">): { readonly tone: Tone; readonly text: string } {
  return { tone: tones[alertType], text: texts.said[alertType] };
}

/** Kinds of alerts that people look for, and what they stand for on the wire. */
export const alertKinds = {
  failures: ["ALERT_FAILURE", "ALERT_FAILURE_REMAIN", "ALERT_DEGRADED_FAILURE"],
  degradations: ["ALERT_DEGRADED", "ALERT_DEGRADED_REMAIN", "ALERT_FAILURE_DEGRADED"],
  recoveries: ["ALERT_RECOVERY", "ALERT_DEGRADED_RECOVERY"],
  certificates: ["ALERT_SSL"],
} as const satisfies Readonly<Record<keyof typeof texts.kindNames, readonly CheckAlertType[]>>;

export type AlertKind = keyof typeof alertKinds;

/** Null where an address asks for none that there is: all of them. */
export function alertKindOf(text: string): AlertKind | null {
  return alertKindNames.find((kind) => kind === text) ?? null;
}

/** As they stand beside each other. */
export const alertKindNames = ["failures", "degradations", "recoveries", "certificates"] as const satisfies readonly AlertKind[];
