import { z } from "zod";
import type { ClientReply } from "./control-plane-client.ts";

/** Both counted in. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export interface FilePart {
  readonly bytes: Buffer;
  /** Of the whole file. */
  readonly size: number;
}

/** Errors of the control plane name their status; those of gateways that write JSON, too, mostly do not. */
const OwnError = z.object({ statusCode: z.literal(404), error: z.string(), message: z.string() });

/** What was asked for, or the whole file where that begins at 0; null where a reply is neither: something in between answered. */
export function partOf({ status, headers, bytes }: ClientReply, { from, to }: ByteRange): FilePart | null {
  if (bytes === undefined) return null;
  const range = headers["content-range"];
  if (status === 200) return from === 0 && range === undefined && !isPage(headers) ? { bytes, size: bytes.length } : null;
  const [, start, end, size] = (/^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(String(range)) ?? []).map(Number);
  if (status !== 206 || start === undefined || end === undefined || size === undefined) return null;
  const isAsked = start === from && end === Math.min(to, size - 1) && bytes.length === end - start + 1;
  return isAsked ? { bytes, size } : null;
}

/** Whether the control plane itself says that it does not have it: a proxy answers 404 while its back end restarts. */
export function isOwn404({ status, text }: ClientReply): boolean {
  if (status !== 404) return false;
  try {
    return OwnError.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

function isPage(headers: ClientReply["headers"]): boolean {
  return String(headers["content-type"] ?? "").startsWith("text/html");
}
