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

/** As REST tells them. */
export function shownAnalysisSettings(account: Pick<AccountRow, "settings">) {
  const { onAlerts, byModel } = analysisSettings(account);
  return { rootCauses: onAlerts ? ("alerts" as const) : ("asked" as const), rootCauseModel: byModel ? ("on" as const) : ("off" as const) };
}
