import type { ApiRequest, KeyValue } from "#contract/checks/api.ts";
import { mask } from "./scrub-stream.ts";

const sensitiveHeaders: ReadonlySet<string> = new Set(["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"]);

/** A cookie's value that is shorter says too little to hide, and would be found everywhere. */
const minCookieValue = 8;

/** Whether a header's value never leaves the agent, whatever the check says (behaviour 4). */
export function isSensitiveHeader(name: string): boolean {
  return sensitiveHeaders.has(name.toLowerCase());
}

/** The headers with the values of sensitive ones masked, each of several values by itself; the same where none is sensitive. */
export function maskSensitiveHeaders(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const names = Object.keys(headers).filter(isSensitiveHeader);
  if (names.length === 0) return headers;
  const copy = { ...headers };
  for (const name of names) copy[name] = masked(headers[name]);
  return copy;
}

/** What of a request is secret: all but the body. */
export interface RequestWithSecrets extends Pick<ApiRequest, "url" | "headers" | "queryParameters"> {
  readonly basicAuth?: { readonly username: string; readonly password: string } | null | undefined;
}

/**
 * The secrets in a request: locked values, sensitive headers and the tokens in them, basic auth in the clear and as it
 * travels, and passwords in the URL and in `otherUrls` (such as a proxy's).
 */
export function sensitiveValues(request: RequestWithSecrets, otherUrls: readonly string[] = []): string[] {
  const values = new Set<string>();
  for (const entry of [...request.headers, ...request.queryParameters]) if (entry.locked) values.add(entry.value);
  for (const header of request.headers) if (isSensitiveHeader(header.key)) for (const value of headerSecrets(header)) values.add(value);
  if (request.basicAuth) for (const value of basicAuthSecrets(request.basicAuth)) values.add(value);
  for (const url of [request.url, ...otherUrls]) for (const value of urlPasswords(url)) values.add(value);
  values.delete("");
  return [...values];
}

function masked(value: unknown): unknown {
  if (value === null || value === undefined || value === "") return value;
  return Array.isArray(value) ? value.map(masked) : mask;
}

/** The value and, behind a scheme such as `Bearer`, the token; for `Basic` also the password; of cookies each value. */
function headerSecrets({ key, value }: KeyValue): string[] {
  if (/cookie$/i.test(key)) return [value, ...cookieValues(value)];
  const [, scheme = "", token = ""] = /^([\w-]+)\s+(\S.*)$/.exec(value.trim()) ?? [];
  if (scheme.toLowerCase() !== "basic") return [value, token];
  const plain = Buffer.from(token, "base64").toString();
  return [value, token, plain, plain.slice(plain.indexOf(":") + 1)];
}

function cookieValues(header: string): string[] {
  const values = header.split(";").map((pair) => pair.slice(pair.indexOf("=") + 1).trim());
  return values.filter((value) => value.length >= minCookieValue);
}

function basicAuthSecrets({ username, password }: { readonly username: string; readonly password: string }): string[] {
  if (password === "") return [];
  const pair = `${username}:${password}`;
  return [password, Buffer.from(pair).toString("base64")];
}

/** As written and decoded. By text, because a URL with templates does not parse. */
function urlPasswords(url: string): string[] {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@:]*:([^/?#]*)@/i.exec(url)?.[1] ?? "";
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
