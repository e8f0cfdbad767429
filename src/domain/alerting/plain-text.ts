/* What others wrote (names, errors, tags) as it may stand in a line, a header, a log and the formats of chat services. */

/** Control characters, line and paragraph separators, and what turns the direction of text around. */
const unprintable = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/**
 * One line of at most `limit` characters: whatever could begin a new line, a new header or another direction of writing becomes a
 * blank, and half a surrogate pair the replacement character. An ellipsis stands for what is cut off.
 */
export function oneLine(text: string, limit: number): string {
  return shortened(text.toWellFormed().replace(unprintable, " ").replace(/ {2,}/g, " ").trim(), limit);
}

/** At most `limit` characters, never half of a pair. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** In HTML and XML, between tags and in quoted attributes. */
export function escapedHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** In Slack's mrkdwn: no mention, no link, no channel can be written with what is left. */
export function escapedMrkdwn(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** In the Markdown of Discord and Teams. */
export function escapedMarkdown(text: string): string {
  return text.replace(/[\\`*_~|[\]()<>#]/g, String.raw`\$&`);
}
