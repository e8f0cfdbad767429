import type { PageAnswer } from "../../http/page-routes.ts";
import { statusPageTexts as texts } from "../../texts/status-pages.ts";
import type { FeedAddresses } from "./feeds.ts";
import type { ShownMaintenance, ShownStatus } from "./status-model.ts";

/** Maintenance windows for calendars that subscribe to an address (RFC 5545; its refresh interval: RFC 7986). */
export function maintenanceCalendar({ settings, maintenances, nowMs }: ShownStatus, { page }: FeedAddresses): PageAnswer {
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Outpost//Status page//EN",
    "METHOD:PUBLISH",
    `NAME:${escaped(settings.name)}`,
    `X-WR-CALNAME:${escaped(settings.name)}`,
    "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    "X-PUBLISHED-TTL:PT1H",
    ...maintenances.flatMap((one) => event(one, page, nowMs)),
    "END:VCALENDAR",
  ];
  return {
    type: "text/calendar; charset=utf-8",
    body: `${lines.map(folded).join("\r\n")}\r\n`,
    headers: { "content-security-policy": "default-src 'none'; sandbox", "cache-control": "public, max-age=60" },
  };
}

function event(
  { id, name, description, services, startsAtMs, endsAtMs, announcedMs, status }: ShownMaintenance,
  page: string,
  nowMs: number,
): string[] {
  const about = [...(description ? [description] : []), ...(services.length > 0 ? [texts.affectsAll(services)] : [])].join("\n");
  return [
    "BEGIN:VEVENT",
    `UID:${id}@outpost`,
    `DTSTAMP:${stamp(Math.min(announcedMs, nowMs))}`,
    `DTSTART:${stamp(startsAtMs)}`,
    `DTEND:${stamp(endsAtMs)}`,
    `SUMMARY:${escaped(texts.titled(texts.maintenanceStatuses[status], name))}`,
    ...(about === "" ? [] : [`DESCRIPTION:${escaped(about)}`]),
    `URL:${page}#maintenance-${id}`,
    "TRANSP:TRANSPARENT",
    "END:VEVENT",
  ];
}

/** `20261126T100000Z`. */
function stamp(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, "");
}

/** Section 3.3.11; controls but line ends are no text. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/(?!\n)\p{Cc}/gu, " ")
    .replace(/[\\;,]/g, "\\$&")
    .replaceAll("\n", "\\n");
}

const longestLine = 75;

/** Section 3.1: at most 75 bytes a line, and no letter in two parts. */
function folded(line: string): string {
  const parts: string[] = [];
  let part = "";
  let bytes = 0;
  for (const letter of line) {
    const size = Buffer.byteLength(letter);
    if (bytes + size > longestLine) {
      parts.push(part);
      [part, bytes] = [" ", 1];
    }
    part += letter;
    bytes += size;
  }
  return [...parts, part].join("\r\n");
}
