import type { PageAnswer } from "../../http/page-routes.ts";
import { statusPageTexts as texts } from "../../texts/status-pages.ts";
import { html } from "../../view/html.ts";
import { clockText, dateText } from "../../view/units.ts";
import type { ShownIncident, ShownMaintenance, ShownStatus } from "./status-model.ts";

/** Absolute addresses. */
export interface FeedAddresses {
  readonly page: string;
  readonly feed: string;
}

interface Entry {
  readonly id: string;
  readonly anchor: string;
  readonly title: string;
  readonly text: string;
  readonly publishedMs: number;
  readonly changedMs: number;
}

const maxEntries = 50;

/** What goes on, went on and is planned, as RSS 2.0. */
export function rssFeed(shown: ShownStatus, { page, feed }: FeedAddresses): PageAnswer {
  const { name, description } = shown.settings;
  const items = entriesOf(shown).map(
    ({ id, anchor, title, text, changedMs }) => html`<item>
<title>${plain(title)}</title>
<link>${page}#${anchor}</link>
<guid isPermaLink="false">${id}</guid>
<pubDate>${rfc822(changedMs)}</pubDate>
<description>${plain(html`${text.split("\n").map((line) => html`<p>${line}</p>`)}`.text)}</description>
</item>
`,
  );
  const body = html`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${plain(name)}</title>
<link>${page}</link>
<description>${plain(description || name)}</description>
<language>${texts.language}</language>
<lastBuildDate>${rfc822(shown.nowMs)}</lastBuildDate>
<atom:link href="${feed}" rel="self" type="application/rss+xml"/>
${items}</channel>
</rss>
`;
  return answer("application/rss+xml; charset=utf-8", `<?xml version="1.0" encoding="UTF-8"?>\n${body.text}`);
}

/** The same as JSON Feed 1.1. */
export function jsonFeed(shown: ShownStatus, { page, feed }: FeedAddresses): PageAnswer {
  const { name, description, favicon } = shown.settings;
  const document = {
    version: "https://jsonfeed.org/version/1.1",
    title: name,
    home_page_url: page,
    feed_url: feed,
    ...(description && { description }),
    ...(favicon && { favicon }),
    language: texts.language,
    items: entriesOf(shown).map(({ id, anchor, title, text, publishedMs, changedMs }) => ({
      id,
      url: `${page}#${anchor}`,
      title,
      content_text: text,
      date_published: new Date(publishedMs).toISOString(),
      date_modified: new Date(changedMs).toISOString(),
    })),
  };
  return answer("application/feed+json; charset=utf-8", JSON.stringify(document));
}

function answer(type: string, body: string): PageAnswer {
  return { type, body, headers: { "content-security-policy": "default-src 'none'; sandbox", "cache-control": "public, max-age=60" } };
}

/** What changed last comes first. */
function entriesOf({ incidents, maintenances }: ShownStatus): readonly Entry[] {
  return [...incidents.map(incidentEntry), ...maintenances.map(maintenanceEntry)]
    .toSorted((a, b) => b.changedMs - a.changedMs)
    .slice(0, maxEntries);
}

function incidentEntry({ id, name, status, severity, fromMs, services, updates }: ShownIncident): Entry {
  const affected = services.length > 0 ? [texts.affectsAll(services)] : [];
  const lines = updates.map((one) => texts.told(texts.statuses[one.status], momentText(one.publicAtMs), one.description));
  return {
    id,
    anchor: `incident-${id}`,
    title: texts.titled(texts.statuses[status], name),
    text: [texts.sentence(texts.severities[severity]), ...affected, ...lines].join("\n"),
    publishedMs: fromMs,
    changedMs: updates[0]?.publicAtMs ?? fromMs,
  };
}

function maintenanceEntry({
  id,
  name,
  description,
  status,
  severity,
  startsAtMs,
  endsAtMs,
  services,
  updates,
  announcedMs,
}: ShownMaintenance): Entry {
  const affected = services.length > 0 ? [texts.affectsAll(services)] : [];
  const span = texts.fromTo(momentText(startsAtMs), momentText(endsAtMs));
  const expected = severity === null ? [] : [texts.sentence(texts.expected(severity))];
  const lines = updates.map((one) => texts.told(texts.maintenanceStatuses[one.status], momentText(one.createdAtMs), one.description));
  return {
    id,
    anchor: `maintenance-${id}`,
    title: texts.titled(texts.maintenanceStatuses[status], name),
    text: [span, ...expected, ...(description ? [description] : []), ...affected, ...lines].join("\n"),
    publishedMs: announcedMs,
    changedMs: updates[0]?.createdAtMs ?? announcedMs,
  };
}

function momentText(ms: number): string {
  return `${dateText(ms)}, ${clockText(ms)} UTC`;
}

/** As RSS wants it: RFC 822 with a year of four digits. */
function rfc822(ms: number): string {
  return new Date(ms).toUTCString();
}

/** Without what XML forbids (XML 1.0 §2.2): controls but tab and the ends of lines. */
function plain(text: string): string {
  return text.toWellFormed().replaceAll(/(?![\t\n\r])\p{Cc}|[\uFFFE\uFFFF]/gu, " ");
}
