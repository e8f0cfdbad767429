import { version } from "#daemon/version.ts";
import type { SeenOf } from "./told.ts";

type Asked = SeenOf<"request">;

/** Of dates. */
const lastMs = 8.64e15;
/** Names that the format asks for; what is in them may be secret. */
const untold = { httpVersion: "", cookies: [], headers: [], headersSize: -1 };

/** Requests as an HTTP archive 1.2, in the order of time: without bodies, cookies and headers. */
export function networkArchive(requests: readonly Asked[]): string {
  const entries = requests.toSorted((one, other) => one.startedAt - other.startedAt).map(entryOf);
  return JSON.stringify({ log: { version: "1.2", creator: { name: "Outpost", version }, entries } });
}

function entryOf(asked: Asked): object {
  const { method, url, startedAt, durationMs, type } = asked;
  return {
    startedDateTime: new Date(Math.min(lastMs, Math.max(-lastMs, startedAt))).toISOString(),
    time: durationMs ?? 0,
    request: { ...untold, method, url, queryString: queryOf(url), bodySize: -1 },
    response: responseOf(asked),
    cache: {},
    timings: timingsOf(asked.timings),
    _resourceType: type,
  };
}

function responseOf({ status, bytes, error }: Asked): object {
  const content = { size: bytes ?? 0, mimeType: "x-unknown" };
  return { ...untold, status: status ?? 0, statusText: "", redirectURL: "", content, bodySize: bytes ?? -1, _error: error ?? undefined };
}

/** -1: it was not seen. */
function timingsOf(timings: Asked["timings"]): object {
  const { dns, connect, tls, firstByte, download } = timings ?? {};
  const withTls = connect == null ? -1 : connect + (tls ?? 0); // as the format counts it
  return { blocked: -1, dns: dns ?? -1, connect: withTls, ssl: tls ?? -1, send: 0, wait: firstByte ?? 0, receive: download ?? 0 };
}

function queryOf(url: string): { readonly name: string; readonly value: string }[] {
  return [...(URL.parse(url)?.searchParams ?? [])].map(([name, value]) => ({ name, value }));
}
