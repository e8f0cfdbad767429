import type { CheckAlertType } from "#contract/check-alerts.ts";

/** What a channel wants to hear of. */
export interface ChannelSwitches {
  readonly sendFailure: boolean;
  readonly sendDegraded: boolean;
  readonly sendRecovery: boolean;
  readonly sslExpiry: boolean;
}

/** Who does not hear of degradations does not hear of their end either. */
const wishes: Readonly<Record<CheckAlertType, (channel: ChannelSwitches) => boolean>> = {
  NO_ALERT: () => false,
  ALERT_FAILURE: ({ sendFailure }) => sendFailure,
  ALERT_FAILURE_REMAIN: ({ sendFailure }) => sendFailure,
  ALERT_DEGRADED_FAILURE: ({ sendFailure }) => sendFailure,
  ALERT_FAILURE_DEGRADED: ({ sendDegraded }) => sendDegraded,
  ALERT_DEGRADED: ({ sendDegraded }) => sendDegraded,
  ALERT_DEGRADED_REMAIN: ({ sendDegraded }) => sendDegraded,
  ALERT_RECOVERY: ({ sendRecovery }) => sendRecovery,
  ALERT_DEGRADED_RECOVERY: ({ sendRecovery, sendDegraded }) => sendRecovery && sendDegraded,
  ALERT_SSL: ({ sslExpiry }) => sslExpiry,
};

export function wantsAlert(channel: ChannelSwitches, { alertType }: { readonly alertType: CheckAlertType }): boolean {
  return wishes[alertType](channel);
}
