import type { GrpcMetadataEntry } from "#contract/checks/grpc.ts";

/** Entries that are told, and how long a value of them may be; the headers are bounded before. */
const maxEntries = 200;
const maxValueLength = 16_384;

/** What gRPC and HTTP/2 need for themselves; the rest of what came is metadata, with the status of the call. */
const plumbing: ReadonlySet<string> = new Set([":status", "content-type", "grpc-encoding", "grpc-accept-encoding"]);

/**
 * The metadata of an answer as it came, several values of one key each for itself.
 *
 * @param raw names and values in turn
 */
export function metadataEntries(raw: readonly string[], isTrailer: boolean): GrpcMetadataEntry[] {
  const entries: GrpcMetadataEntry[] = [];
  for (let at = 0; at + 1 < raw.length && entries.length < maxEntries; at += 2) {
    const [key = "", value = ""] = [raw[at]?.toLowerCase(), raw[at + 1]];
    if (plumbing.has(key) || key.startsWith(":")) continue;
    entries.push({ key: key.slice(0, 1000), value: value.slice(0, maxValueLength).replaceAll("\0", "\u{fffd}"), trailer: isTrailer });
  }
  return entries;
}

/** For assertions: each key once, its values joined, and the status message without its encoding. */
export function metadataRecord(entries: readonly GrpcMetadataEntry[], statusMessage: string): Readonly<Record<string, string>> {
  const record: Record<string, string> = Object.create(null) as Record<string, string>; // keys are the server's
  for (const { key, value } of entries) record[key] = record[key] === undefined ? value : `${record[key]}, ${value}`;
  if (record["grpc-message"] !== undefined) record["grpc-message"] = statusMessage;
  return { ...record };
}
