import type { Generated } from "kysely";
import type { AlertChannelType } from "#contract/alert-channels.ts";
import type { NotificationStatus } from "#contract/alert-notifications.ts";
import type { CheckAlertType } from "#contract/check-alerts.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { EpisodeActKind } from "#domain/alerting/episode-handling.ts";

/* Tables of alerting, see `schema.ts`. */

/** Of checks that do not simply pass; `state` is an `AlertState`. */
export interface AlertStateTable {
  check_id: number;
  state: string;
  /** When a tick has something to do. */
  next_due_ms: number | null;
  /** Locations whose newest run failed; was degraded. */
  failing: Generated<number>;
  degraded: Generated<number>;
}

export interface CheckAlertTable {
  id: Generated<number>;
  account_id: number;
  check_id: number;
  name: string;
  alert_type: CheckAlertType;
  check_type: CheckTypeName;
  run_location: string;
  response_time: number;
  error: string | null;
  status_code: string | null;
  started_at: number;
  created_at: number;
  /** These two together name the result; null where no agent ran anything. */
  result_id: number | null;
  result_run_at: number | null;
  error_group: number | null;
  failing_since: number | null;
  failed_runs: Generated<number>;
  /** 0: none. */
  reminder: Generated<number>;
  /** Of the target's answer, as it came. */
  status_text: string | null;
  /** Of a script. */
  failed_step: string | null;
  has_screenshot: Generated<number>;
  /** These two only of ALERT_SSL. */
  certificate_domain: string | null;
  certificate_days: number | null;
}

/** Who was told of which certificate under which threshold; it stays when the alert is gone, for as long as somebody sees the certificate. */
export interface CertificateNoticeTable {
  channel_id: number;
  fingerprint: string;
  threshold: number;
  alert_id: number;
  /** When it was told, or seen again, to a day. */
  seen_at: number;
}

/** Alerts that are still to be sent. A claim is a lease: who holds it moves `claimed_until_ms`, which is also how a next attempt waits. */
export interface AlertOutboxTable {
  id: Generated<number>;
  alert_id: number;
  account_id: number;
  check_id: number;
  created_at: number;
  attempts: Generated<number>;
  claimed_until_ms: Generated<number>;
  claimed_by: string | null;
}

export interface AlertNotificationTable {
  id: Generated<number>;
  account_id: number;
  /** Of these two one is null; `notice`: a `ToldNotice`. */
  check_alert_id: number | null;
  notice: string | null;
  channel_id: number;
  channel_type: AlertChannelType;
  status: NotificationStatus;
  config: string;
  result: string | null;
  check_result: string;
  sent_at: number;
}

/** What a channel is still to be told: a row for each alert or notice. */
export interface AlertDeliveryTable {
  id: Generated<number>;
  account_id: number;
  channel_id: number;
  /** Of these two one is null; `notice`: a `ToldNotice`. */
  alert_id: number | null;
  notice: string | null;
  created_at: number;
  /** Rows of one message have the same. */
  delivery: string;
  /** This and `claimed_until_ms` and `since_ms`, when it was due first: on the installation's clock. */
  due_at: number;
  attempts: number;
  claimed_until_ms: number;
  since_ms: number;
  /** Attempts that began since one ended. */
  cuts: number;
}

/** As `alert_deliveries`; `since_at`, `given_up_at`: on the wall clock. */
export interface GivenUpAlertTable {
  id: Generated<number>;
  account_id: number;
  channel_id: number;
  alert_id: number | null;
  notice: string | null;
  since_at: number;
  given_up_at: number;
  attempts: number;
  because: string;
}

export interface AlertEpisodeTables {
  alert_episodes: AlertEpisodeTable;
  alert_episode_acts: AlertEpisodeActTable;
}

/** See `domain/alerting/episode.ts`, `episode-handling.ts`. */
export interface AlertEpisodeTable {
  /** Of the alert that opened it. */
  id: number;
  account_id: number;
  check_id: number;
  /** The check's name at its newest alert. */
  name: string;
  standing: "failing" | "degraded";
  opened_at: number;
  closed_at: number | null;
  since_at: number;
  last_alert: number;
  failed_runs: number;
  reminders: number;
  error: string | null;
  error_group: number | null;
  host: string | null;
  acknowledged_at: number | null;
  acknowledged_until: number | null;
  acknowledged_by: string | null;
  snoozed_at: number | null;
  snoozed_until: number | null;
  snoozed_by: string | null;
  assignee: string | null;
  assignee_name: string | null;
  /** When reminders begin again, on the installation's clock. */
  remind_from: number | null;
  /** 1: whether a root-cause analysis is wanted was looked at. */
  analysis_asked: Generated<number>;
  /** When the cause is looked for again, on the installation's clock. */
  causes_from: number | null;
}

interface AlertEpisodeActTable {
  id: Generated<number>;
  episode_id: number;
  at: number;
  kind: EpisodeActKind;
  by_name: string;
  /** What was said, whom it was assigned to, or the incident's id. */
  detail: string | null;
  until_at: number | null;
}
