import type { CheckAlertType } from "#contract/check-alerts.ts";
import type { CheckTypeName } from "#contract/primitives.ts";

/** All that is known of one alert when it is told; texts are as users and targets wrote them. */
export interface AlertFacts {
  /** Uuid of the alert. */
  readonly alertId: string;
  readonly alertType: Exclude<CheckAlertType, "NO_ALERT">;
  readonly check: {
    readonly id: string;
    readonly name: string;
    readonly type: CheckTypeName;
    readonly description: string | null;
    /** Its own and its group's. */
    readonly tags: readonly string[];
  };
  readonly groupName: string | null;
  /** As results have it: a data center location or the slug name of a private one, and the name that people know. */
  readonly location: { readonly code: string; readonly name: string };
  /** Null where no result caused it: a heartbeat that stayed away, a certificate. */
  readonly resultId: string | null;
  readonly error: string | null;
  readonly responseTimeMs: number;
  /** Where a script failed; null of other checks. */
  readonly failedStep: string | null;
  /** Where to look at the page of a browser check as it was then. */
  readonly screenshotLink: string | null;
  /** Of the target's answer, where the check type has such. */
  readonly status: { readonly code: number; readonly text: string } | null;
  readonly startedAtMs: number;
  /** Where to look at the result. */
  readonly link: string | null;
  /** Where its reader acknowledges or snoozes the episode; null where there is nothing to end. */
  readonly respondLink: string | null;
  /** 0 for the alert itself, 1 for the first reminder of it. */
  readonly reminder: number;
  /** Of ALERT_SSL. */
  readonly certificate: { readonly domain: string; readonly daysRemaining: number } | null;
  /** How often the same error was seen, and since when. */
  readonly errorGroup: { readonly occurrences: number; readonly firstSeenMs: number } | null;
  /** Why this is no statement about the target, such as an agent that went silent; null for all that is. */
  readonly agentProblem: string | null;
}
