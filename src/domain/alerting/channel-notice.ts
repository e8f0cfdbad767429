import { instantText } from "./alert-lines.ts";
import { type AlertMessage, severityColors } from "./alert-message.ts";
import { withoutAlert } from "./notice-message.ts";
import { oneLine } from "./plain-text.ts";

/** What one channel is told of another one that could not be told of alerts. */
export interface ChannelNotice {
  readonly kind: "CHANNEL_GAVE_UP";
  readonly channel: { readonly id: number; readonly name: string };
  /** What its service answered last, or why it could not. */
  readonly because: string;
  /** Since when it was tried. */
  readonly sinceMs: number;
  readonly atMs: number;
  /** Names of the checks whose alerts did not arrive, the first `maxNames` of them. */
  readonly checks: readonly string[];
  readonly checkCount: number;
}

/** Webhook templates get the kind of notice as ALERT_TYPE. */
export function channelMessage(notice: ChannelNotice): AlertMessage {
  const { kind, channel, because, sinceMs, checks, checkCount } = notice;
  const name = oneLine(channel.name, 200);
  const title = `Channel ${name} has received no alerts since ${instantText(sinceMs)}`;
  const more = checkCount > checks.length ? [`and ${checkCount - checks.length} more`] : [];
  const lines = [`Last answer: ${oneLine(because, 500)}`, ...checks.map((check) => `- ${oneLine(check, 200)}`), ...more];
  return {
    title,
    text: [title, ...lines].join("\n"),
    severity: "warning",
    color: severityColors.warning,
    facts: [
      { name: "Channel", value: name },
      { name: "Since", value: instantText(sinceMs) },
      { name: "Alerts", value: lines.join("\n") },
    ],
    link: null,
    thread: `channel-${channel.id}`,
    dedupKey: `outpost-channel-${channel.id}`,
    resolves: [],
    atMs: notice.atMs,
    source: "Outpost",
    tags: [],
    variables: {
      ...withoutAlert,
      ALERT_TITLE: title,
      ALERT_TYPE: kind,
      CHECK_NAME: checkCount === 1 ? "1 check" : `${checkCount} checks`,
      CHECK_ERROR_MESSAGE: lines.join("\n"),
      STARTED_AT: new Date(sinceMs).toISOString(),
    },
  };
}
