import { crc32 } from "node:zlib";
import type { AttemptReport } from "#contract/agent-protocol.ts";

/** One report that waits for delivery. */
export interface OutboxEntry {
  readonly kind: AttemptReport["resultType"];
  /** Microseconds since 1970 when it was put in, made unique: order, identity and age in one number. */
  readonly seq: number;
  readonly json: string;
}

/**
 * An entry as a line of a segment file: `crc kind seq json`, the CRC-32 over everything after it. A line that a
 * crash cut off, or that the disk changed, fails its CRC and is left out alone.
 */
export function encodeLine(entry: OutboxEntry): string {
  const text = `${entry.kind} ${entry.seq} ${entry.json}`;
  return `${checksum(text)}${text}\n`;
}

/** Reads a segment. Never throws: what is no line of ours comes back in `bad`. */
export function decodeLines(segment: Buffer): { readonly entries: readonly OutboxEntry[]; readonly bad: readonly Buffer[] } {
  const entries: OutboxEntry[] = [];
  const bad: Buffer[] = [];
  for (let start = 0; start < segment.length; ) {
    const newline = segment.indexOf(10, start);
    const end = newline === -1 ? segment.length : newline;
    const entry = newline === -1 ? null : decodeLine(segment.subarray(start, end));
    if (entry !== null) entries.push(entry);
    else bad.push(segment.subarray(start, end));
    start = end + 1;
  }
  return { entries, bad };
}

function decodeLine(line: Buffer): OutboxEntry | null {
  if (line.toString("latin1", 0, 9) !== checksum(line.subarray(9))) return null;
  const text = line.toString("utf8", 9);
  const kindEnd = text.indexOf(" ");
  const seqEnd = text.indexOf(" ", kindEnd + 1);
  const kind = text.slice(0, kindEnd);
  const seq = Number(text.slice(kindEnd + 1, seqEnd));
  if ((kind !== "FINAL" && kind !== "ATTEMPT") || !Number.isSafeInteger(seq) || seqEnd === -1) return null;
  return { kind, seq, json: text.slice(seqEnd + 1) };
}

function checksum(text: string | Buffer): string {
  return `${crc32(text).toString(16).padStart(8, "0")} `;
}
