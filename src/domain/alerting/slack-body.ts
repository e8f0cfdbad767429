import type { AlertMessage } from "./alert-message.ts";
import { escapedMrkdwn } from "./plain-text.ts";

/** What both kinds of Slack channels take: a line for notifications, and the facts beside a bar of the severity's color. */
export function slackBody(message: AlertMessage): Readonly<Record<string, unknown>> {
  const title = escapedMrkdwn(message.title);
  const heading =
    message.link === null ? `*${title}*` : `*<${escapedMrkdwn(message.link).replaceAll("|", "%7C")}|${title.replaceAll("|", "/")}>*`;
  const lines = message.facts
    .filter(({ value }) => value !== message.link)
    .map(({ name, value, label }) => `*${escapedMrkdwn(name)}:* ${label === undefined ? escapedMrkdwn(value) : link(value, label)}`);
  return {
    text: title,
    attachments: [{ color: message.color, fallback: title, blocks: [section(heading), ...sectionsOf(lines)] }],
    unfurl_links: false,
  };
}

/** An address of ours under a name of ours. */
function link(address: string, label: string): string {
  return `<${escapedMrkdwn(address).replaceAll("|", "%7C")}|${label}>`;
}

/** Slack takes 3,000 characters in a section. */
const maxSection = 2_900;

function sectionsOf(lines: readonly string[]): readonly unknown[] {
  const text = lines.join("\n");
  if (text === "") return [];
  // A cut through an escape would show its rest.
  return [section(text.length <= maxSection ? text : `${text.slice(0, maxSection).replace(/(?:&[a-z]{0,3}|[\ud800-\udbff])$/, "")}…`)];
}

function section(text: string): unknown {
  return { type: "section", text: { type: "mrkdwn", text } };
}
