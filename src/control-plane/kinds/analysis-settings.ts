import type { AccountRow } from "../storage/storage.ts";

/** What an account wants of root-cause analyses. */
export interface AnalysisSettings {
  /** Each new alert has one. */
  readonly onAlerts: boolean;
  /** The operator's model may be asked, where there is one: facts of failures leave for its endpoint. */
  readonly byModel: boolean;
}

export function analysisSettings({ settings }: Pick<AccountRow, "settings">): AnalysisSettings {
  return { onAlerts: settings["rootCauses"] !== "asked", byModel: settings["rootCauseModel"] === "on" };
}

/** Whether agentic checks may ask the model of the agent that runs them: on until the account says otherwise, as nobody has such a check by chance. */
export function asksAgenticModel({ settings }: Pick<AccountRow, "settings">): boolean {
  return settings["agenticModel"] !== "off";
}

/** As REST tells them. */
export function shownAnalysisSettings(account: Pick<AccountRow, "settings">) {
  const { onAlerts, byModel } = analysisSettings(account);
  return {
    rootCauses: onAlerts ? ("alerts" as const) : ("asked" as const),
    rootCauseModel: onOff(byModel),
    agenticModel: onOff(asksAgenticModel(account)),
  };
}

function onOff(isOn: boolean): "on" | "off" {
  return isOn ? "on" : "off";
}
