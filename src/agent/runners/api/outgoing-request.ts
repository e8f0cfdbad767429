import type { ApiRequest } from "#contract/checks/api.ts";
import { basicCredentials, credentialsOf } from "#daemon/basic-credentials.ts";
import type { WireRequest } from "../../net/http-request.ts";
import { ProbeError } from "../../net/probe-error.ts";
import type { Proxy } from "../../net/proxy.ts";

/** A request on its way through the redirects; `headers` are the caller's, without our defaults. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly CallerHeader[];
  readonly body: Buffer | null;
}

export interface CallerHeader {
  readonly name: string;
  readonly value: string;
  /** Not to be sent to another origin. */
  readonly isCredential: boolean;
}

/** Framing is ours: a wrong one from a caller would make the exchange hang or lie. */
const framingHeaders: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "connection"]);
const credentialHeaders: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization", "x-api-key", "host"]);
const methodsWithBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
const contentTypes = {
  JSON: "application/json",
  FORM: "application/x-www-form-urlencoded",
  GRAPHQL: "application/json",
  RAW: null,
  NONE: null,
} as const;

/**
 * The request as the settings ask for it, templates already filled in.
 * @throws {ProbeError} EBADURL
 */
export function outgoingRequest(request: ApiRequest): OutgoingRequest {
  const url = withQuery(parseTargetUrl(request.url), request.queryParameters);
  const headers = request.headers
    .filter(({ key }) => !framingHeaders.has(key.toLowerCase()))
    .map(({ key, value, locked }) => ({
      name: key,
      value,
      isCredential: locked || credentialHeaders.has(key.toLowerCase()),
    }));
  const authorization =
    request.basicAuth && (request.basicAuth.username !== "" || request.basicAuth.password !== "")
      ? basicCredentials(request.basicAuth.username, request.basicAuth.password)
      : credentialsOf(url);
  if (authorization !== null && !has(headers, "authorization"))
    headers.push({ name: "Authorization", value: authorization, isCredential: true });
  const body = bodyOf(request);
  const contentType = contentTypes[request.bodyType];
  if (body !== null && contentType !== null && !has(headers, "content-type"))
    headers.push({ name: "Content-Type", value: contentType, isCredential: false });
  return { method: request.method, url, headers, body: body === null ? null : Buffer.from(body) };
}

/** @throws {ProbeError} EBADURL, without the address, which may hold secrets */
export function parseTargetUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base);
  if (url === null) throw new ProbeError("EBADURL", "the address is no valid URL");
  if (base === undefined && url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ProbeError("EBADURL", `the address has the scheme ${url.protocol} where http: or https: is needed`);
  }
  return url;
}

/** What goes over the wire: the caller's own headers win over our defaults. @param traceparent null: none */
export function wireRequest(
  { method, url, headers, body }: OutgoingRequest,
  userAgent: string,
  proxy: Proxy | null,
  traceparent: string | null,
): WireRequest {
  const flat: string[] = [];
  const addDefault = (name: string, value: string): void => {
    if (!has(headers, name)) flat.push(name, value);
  };
  addDefault("Host", url.host);
  addDefault("User-Agent", userAgent);
  addDefault("Accept", "*/*");
  addDefault("Accept-Encoding", "gzip, deflate, br");
  if (traceparent !== null) addDefault("traceparent", traceparent);
  for (const { name, value } of headers) flat.push(name, value);
  if (body !== null || methodsWithBody.has(method)) flat.push("Content-Length", String(body?.length ?? 0));
  const absolute = proxy !== null && url.protocol === "http:";
  if (absolute && proxy.authorization !== null) flat.push("Proxy-Authorization", proxy.authorization);
  flat.push("Connection", "close");
  const path = url.pathname + url.search;
  return { method, path: absolute ? `http://${url.host}${path}` : path, headers: flat, body };
}

export function hasCredentials(url: URL): boolean {
  return url.username !== "" || url.password !== "";
}

function has(headers: readonly CallerHeader[], name: string): boolean {
  if (headers.length === 0) return false;
  const wanted = name.toLowerCase();
  return headers.some((header) => header.name.toLowerCase() === wanted);
}

/** Appended as text: going through `searchParams` would re-write what the address already holds. */
function withQuery(url: URL, parameters: ApiRequest["queryParameters"]): URL {
  if (parameters.length === 0) return url;
  const added = parameters.map(({ key, value }) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`).join("&");
  url.search = url.search === "" ? added : `${url.search}&${added}`;
  return url;
}

function bodyOf({ body, bodyType }: ApiRequest): string | null {
  if (bodyType === "NONE" || body === "") return null;
  return bodyType === "GRAPHQL" && !isJson(body) ? JSON.stringify({ query: body }) : body;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
