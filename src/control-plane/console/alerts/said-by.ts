import type { CheckAlert, CheckAlertType } from "#contract/check-alerts.ts";
import type { Tone } from "../../pages/public/state-label.ts";

interface Said {
  readonly tone: Tone;
  readonly text: string;
}

const said: Readonly<Record<CheckAlertType, Said>> = {
  NO_ALERT: { tone: "none", text: "Nothing told" },
  ALERT_FAILURE: { tone: "bad", text: "Failing" },
  ALERT_FAILURE_REMAIN: { tone: "bad", text: "Still failing" },
  ALERT_FAILURE_DEGRADED: { tone: "warn", text: "Degraded after failing" },
  ALERT_RECOVERY: { tone: "ok", text: "Recovered" },
  ALERT_DEGRADED: { tone: "warn", text: "Degraded" },
  ALERT_DEGRADED_REMAIN: { tone: "warn", text: "Still degraded" },
  ALERT_DEGRADED_FAILURE: { tone: "bad", text: "Failing after degraded" },
  ALERT_DEGRADED_RECOVERY: { tone: "ok", text: "Recovered" },
  ALERT_SSL: { tone: "warn", text: "Certificate" },
};

/** What an alert says, in a word or two. */
export function saidBy({ alertType }: Pick<CheckAlert, "alertType">): Said {
  return said[alertType];
}

/** Kinds of alerts that people look for, and what they stand for on the wire. */
export const alertKinds: Readonly<Record<string, { readonly label: string; readonly types: readonly CheckAlertType[] }>> = {
  failures: { label: "Failures", types: ["ALERT_FAILURE", "ALERT_FAILURE_REMAIN", "ALERT_DEGRADED_FAILURE"] },
  degradations: { label: "Degradations", types: ["ALERT_DEGRADED", "ALERT_DEGRADED_REMAIN", "ALERT_FAILURE_DEGRADED"] },
  recoveries: { label: "Recoveries", types: ["ALERT_RECOVERY", "ALERT_DEGRADED_RECOVERY"] },
  certificates: { label: "Certificates", types: ["ALERT_SSL"] },
};
