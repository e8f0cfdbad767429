import { z } from "zod";
import type { ClientReply } from "./control-plane-client.ts";

/** What a reply of the control plane, or of a proxy in between, means for the call. */
export type ReplyMeaning<T> =
  | { readonly is: "answer"; readonly value: T }
  /** The token or key is not accepted. */
  | { readonly is: "unauthorized"; readonly status: 401 | 403; readonly message: string }
  | { readonly is: "incompatible"; readonly message: string }
  /** A 4xx that the same request will always get; some callers have an answer to it. */
  | { readonly is: "refused"; readonly status: number; readonly message: string }
  | { readonly is: "try_again"; readonly reason: string; readonly retryAfter: string | null }
  /** A success that is not ours: a captive portal's or proxy's page. To be tried again. */
  | { readonly is: "undecodable"; readonly reason: string; readonly start: string };

const ErrorBody = z.object({ message: z.string() });
const passingClientErrors: readonly number[] = [404, 408, 425, 429];

/**
 * Gives a reply its meaning. 404 is worth another try: a proxy answers it while its back end restarts.
 *
 * @param decode throws when the body is not what the operation promises
 */
export function meaningOf<T>(reply: ClientReply, decode: (body: unknown) => T): ReplyMeaning<T> {
  const { status } = reply;
  if (status >= 200 && status < 300) return decoded(reply, decode);
  const message = messageOf(reply);
  if (status === 401 || status === 403) return { is: "unauthorized", status, message };
  if (status === 426) return { is: "incompatible", message };
  if (status >= 400 && status < 500 && !passingClientErrors.includes(status)) return { is: "refused", status, message };
  return { is: "try_again", reason: `${status} ${message}`, retryAfter: header(reply, "retry-after") };
}

function decoded<T>(reply: ClientReply, decode: (body: unknown) => T): ReplyMeaning<T> {
  try {
    return { is: "answer", value: decode(reply.status === 204 ? undefined : JSON.parse(reply.text)) };
  } catch {
    const reason = `${reply.status} with a body that is not the control plane's (${header(reply, "content-type") ?? "no content type"})`;
    return { is: "undecodable", reason, start: reply.text.slice(0, 200) };
  }
}

/** The error's own message where the body is ours, else its type: a proxy's page says nothing in a log. */
function messageOf(reply: ClientReply): string {
  try {
    return ErrorBody.parse(JSON.parse(reply.text)).message.slice(0, 500);
  } catch {
    return `(${header(reply, "content-type") ?? "no content type"})`;
  }
}

function header(reply: ClientReply, name: string): string | null {
  const value = reply.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
