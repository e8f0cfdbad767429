import type { ResourceRecord } from "./message.ts";
import { className, typeName } from "./registry.ts";

/** Where dig begins TTL, class, type and data. */
const columns = [24, 32, 40, 48];
const tabWidth = 8;

/** Records as dig prints them: name, TTL, class, type, data, one record per line. */
export function answerText(records: readonly ResourceRecord[]): string {
  return records.map(recordLine).join("\n");
}

function recordLine({ name, ttl, dnsClass, type, data }: ResourceRecord): string {
  let line = name;
  let width = name.length;
  for (const [index, field] of [String(ttl), className(dnsClass), typeName(type), data].entries()) {
    const to = Math.max(columns[index] ?? 0, width + 1);
    line += gap(width, to) + field;
    width = to + field.length;
  }
  return line;
}

/** Tabs as far as they go, then spaces. */
function gap(from: number, to: number): string {
  const tabs = Math.floor(to / tabWidth) - Math.floor(from / tabWidth);
  const at = tabs > 0 ? Math.floor(to / tabWidth) * tabWidth : from;
  return "\t".repeat(tabs) + " ".repeat(to - at);
}
