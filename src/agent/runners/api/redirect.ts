import { credentialsOf } from "#daemon/basic-credentials.ts";
import { ProbeError } from "../../net/probe-error.ts";
import { type CallerHeader, hasCredentials, type OutgoingRequest, parseTargetUrl } from "./outgoing-request.ts";

const maxRedirects = 10;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Whether an answer sends us elsewhere (RFC 9110 §15.4). Without a Location it is an answer like any other. */
export function isRedirect(status: number, location: string | undefined): location is string {
  return redirectStatuses.has(status) && location !== undefined && location !== "";
}

/**
 * The request that follows a redirect, as browsers send it: 303, and 301 or 302 after a POST, turn into GET; another
 * origin gets no credentials.
 *
 * @param visited addresses of this run so far, the current one included
 * @throws {ProbeError} EREDIRECTSCHEME, EBADURL; ETOOMANYREDIRECTS, or EREDIRECTLOOP where an address came twice
 */
export function followRedirect(request: OutgoingRequest, status: number, location: string, visited: readonly string[]): OutgoingRequest {
  const url = parseTargetUrl(location, request.url);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ProbeError("EREDIRECTSCHEME", `redirected to the scheme ${url.protocol}, and only http: and https: are followed`);
  }
  if (visited.length > maxRedirects) throw tooMany(visited);
  const kept = url.origin === request.url.origin ? request.headers : request.headers.filter(({ isCredential }) => !isCredential);
  const headers = hasCredentials(url) ? withAuthorization(kept, credentialsOf(url)) : kept;
  if (!turnsIntoGet(request.method, status)) return { ...request, url, headers };
  return { method: "GET", url, headers: headers.filter(({ name }) => !name.toLowerCase().startsWith("content-")), body: null };
}

function turnsIntoGet(method: string, status: number): boolean {
  if (status === 303) return method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

/** A loop is only called one at the end: an address that sends to itself for a while is still followed. */
function tooMany(visited: readonly string[]): ProbeError {
  const again = visited.find((address, index) => visited.indexOf(address) !== index);
  if (again === undefined) return new ProbeError("ETOOMANYREDIRECTS", `more than ${maxRedirects} redirects`);
  const from = visited.indexOf(again);
  const loop = visited.slice(from, visited.indexOf(again, from + 1) + 1).map(withoutQuery);
  return new ProbeError("EREDIRECTLOOP", `redirects in a loop: ${loop.join(" → ")}`);
}

/** Queries may hold secrets, and messages reach people. */
function withoutQuery(address: string): string {
  return address.replace(/[?#].*/s, "");
}

function withAuthorization(headers: readonly CallerHeader[], value: string | null): readonly CallerHeader[] {
  if (value === null) return headers;
  return [...headers.filter(({ name }) => name.toLowerCase() !== "authorization"), { name: "Authorization", value, isCredential: true }];
}
