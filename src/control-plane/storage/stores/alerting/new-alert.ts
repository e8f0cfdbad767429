import type { Alert } from "#domain/alerting/alert-state.ts";
import { type AlertingCheck } from "./alerting-checks.ts";

export interface NewAlert {
  readonly check: AlertingCheck;
  readonly alert: Alert;
}
