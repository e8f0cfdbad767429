import { type BasicAuth, type Pair, pairOf } from "../http-parts.ts";
import type { CurlOption } from "./options.ts";

/** What the options of one command ask for. */
export interface CurlRequest {
  method: string | undefined;
  readonly headers: Pair[];
  readonly data: string[];
  /** Parts of the query, as they stand in an address. */
  readonly query: string[];
  readonly urls: string[];
  basicAuth: BasicAuth | undefined;
  isJson: boolean;
  isHead: boolean;
  dataIsQuery: boolean;
  globs: boolean;
  followRedirects: boolean;
  skipSSL: boolean;
  ipFamily: "IPv4" | "IPv6";
  timeoutMs: number | undefined;
  readonly warnings: string[];
  /** Why there can be no check. */
  refusal: string | undefined;
}

/** The request that the options of a command ask for. What cannot become a check is told in `refusal`. */
export function curlRequest(options: readonly CurlOption[]): CurlRequest {
  const request: CurlRequest = {
    method: undefined,
    headers: [],
    data: [],
    query: [],
    urls: [],
    basicAuth: undefined,
    isJson: false,
    isHead: false,
    dataIsQuery: false,
    globs: true,
    followRedirects: false,
    skipSSL: false,
    ipFamily: "IPv4",
    timeoutMs: undefined,
    warnings: [],
    refusal: undefined,
  };
  for (const { name, value } of options) {
    const apply = Object.hasOwn(meanings, name) ? meanings[name] : undefined;
    if (apply) apply(request, value ?? "");
    else if (Object.hasOwn(inexpressible, name)) request.warnings.push(`--${name}: ${inexpressible[name]}`);
    else if (refused.has(name)) request.refusal ??= `--${name} cannot be expressed: the check would need more than this text`;
    else if (!withoutEffect.has(name)) request.warnings.push(`--${name}: not known, so it is left out`);
  }
  return request;
}

const meanings: Readonly<Record<string, (request: CurlRequest, value: string) => void>> = {
  request: (request, value) => {
    request.method = value.toUpperCase();
  },
  url: (request, value) => {
    request.urls.push(value);
  },
  header: addHeader,
  json: (request, value) => {
    request.isJson = true;
    addData(request, value);
  },
  data: addData,
  "data-ascii": addData,
  "data-binary": addData,
  "data-raw": (request, value) => {
    request.data.push(value);
  },
  "data-urlencode": (request, value) => addEncoded(request, request.data, value),
  "url-query": (request, value) => {
    if (value.startsWith("+")) request.query.push(value.slice(1));
    else addEncoded(request, request.query, value);
  },
  get: (request) => {
    request.dataIsQuery = true;
  },
  head: (request) => {
    request.isHead = true;
  },
  user: (request, value) => {
    const [, username = value, password] = /^([^:]*):(.*)$/s.exec(value) ?? [];
    if (password === undefined) request.warnings.push("--user: it names no password, so the check sends an empty one");
    request.basicAuth = { username, password: password ?? "" };
  },
  "oauth2-bearer": (request, value) => {
    request.headers.push(pairOf("Authorization", `Bearer ${value}`));
  },
  "user-agent": (request, value) => {
    if (value !== "") request.headers.push(pairOf("User-Agent", value));
  },
  referer: (request, value) => {
    request.headers.push(pairOf("Referer", value.replace(/;auto$/, "")));
  },
  range: (request, value) => {
    request.headers.push(pairOf("Range", `bytes=${value}`));
  },
  cookie: (request, value) => {
    if (value.includes("=")) request.headers.push(pairOf("Cookie", value));
    else request.warnings.push("--cookie: a file of cookies is not read");
  },
  insecure: (request) => {
    request.skipSSL = true;
  },
  location: follow,
  "location-trusted": follow,
  globoff: (request) => {
    request.globs = false;
  },
  ipv4: (request) => {
    request.ipFamily = "IPv4";
  },
  ipv6: (request) => {
    request.ipFamily = "IPv6";
  },
  "max-time": (request, value) => {
    const seconds = Number(value);
    if (Number.isFinite(seconds) && seconds > 0) request.timeoutMs = seconds * 1000;
    else request.warnings.push("--max-time: it is no number of seconds");
  },
};

const proxies = "checks use the proxyUrl of their private location";
const trust = "certificates are configured apart: client certificates by host, authorities at the agent";
const versions = "the version is agreed with the server";
const reach = "checks resolve and connect by themselves";

/** Options that change what is sent or seen and that no check has. */
const inexpressible: Readonly<Record<string, string>> = {
  "aws-sigv4": "requests are not signed",
  anyauth: "only basic authentication is known",
  digest: "only basic authentication is known",
  negotiate: "only basic authentication is known",
  ntlm: "only basic authentication is known",
  netrc: "no file is read",
  "netrc-file": "no file is read",
  "request-target": "the target is that of the address",
  cert: trust,
  "cert-type": trust,
  key: trust,
  "key-type": trust,
  pass: trust,
  cacert: trust,
  capath: trust,
  pinnedpubkey: trust,
  ciphers: trust,
  curves: trust,
  proxy: proxies,
  preproxy: proxies,
  "proxy-header": proxies,
  "proxy-user": proxies,
  noproxy: proxies,
  socks5: proxies,
  "socks5-hostname": proxies,
  http0: versions,
  "http1.0": versions,
  "http1.1": versions,
  http2: versions,
  "http2-prior-knowledge": versions,
  http3: versions,
  tlsv1: versions,
  "tlsv1.0": versions,
  "tlsv1.1": versions,
  "tlsv1.2": versions,
  "tlsv1.3": versions,
  "tls-max": versions,
  resolve: reach,
  "connect-to": reach,
  "dns-servers": reach,
  "doh-url": reach,
  interface: reach,
  "local-port": reach,
  "unix-socket": reach,
  "connect-timeout": "only the whole time of a check is limited",
  "max-redirs": "a check follows at most 10 redirects",
  "max-filesize": "a check reads at most 25 MB",
  post301: "a redirect is followed as browsers do",
  post302: "a redirect is followed as browsers do",
  retry: "retries are the check's retryStrategy",
};

const refused: ReadonlySet<string> = new Set(["config", "form", "form-string", "upload-file", "variable", "quote"]);

/** They change what curl prints or how it waits, not what is asked. */
const withoutEffect: ReadonlySet<string> = new Set([
  "basic",
  "compressed",
  "continue-at",
  "cookie-jar",
  "dump-header",
  "expect100-timeout",
  "fail",
  "fail-early",
  "fail-with-body",
  "include",
  "keepalive-time",
  "limit-rate",
  "no-buffer",
  "no-keepalive",
  "no-progress-meter",
  "output",
  "output-dir",
  "parallel",
  "path-as-is",
  "progress-bar",
  "proto",
  "proto-default",
  "rate",
  "remote-header-name",
  "remote-name",
  "retry-all-errors",
  "retry-connrefused",
  "retry-delay",
  "retry-max-time",
  "show-error",
  "show-headers",
  "silent",
  "speed-limit",
  "speed-time",
  "ssl-no-revoke",
  "stderr",
  "tcp-fastopen",
  "tcp-nodelay",
  "trace",
  "trace-ascii",
  "trace-time",
  "verbose",
  "write-out",
]);

function follow(request: CurlRequest): void {
  request.followRedirects = true;
}

/** `Name: value`; `Name;` is an empty one, and `Name:` takes a header of curl's away. */
function addHeader(request: CurlRequest, text: string): void {
  const [, name, mark, value = ""] = /^\s*([^:;\s]+)\s*([:;])\s*(.*)$/s.exec(text) ?? [];
  if (text.startsWith("@")) request.refusal ??= "--header reads a file, which is not here";
  else if (name === undefined) request.warnings.push("--header: it has no name, so it is left out");
  else if (mark === ":" && value.trim() === "") request.warnings.push(`--header: ${name} cannot be taken away`);
  else if (name.toLowerCase() !== "content-length") request.headers.push(pairOf(name, value.trim()));
}

function addData(request: CurlRequest, value: string): void {
  if (value.startsWith("@")) request.refusal ??= "its data is read from a file, which is not here";
  else request.data.push(value);
}

/** `content`, `=content` or `name=content`; `@file` and `name@file` cannot be read. */
function addEncoded(request: CurlRequest, parts: string[], text: string): void {
  const [, name = "", mark, content = text] = /^([^=@]*)([=@])(.*)$/s.exec(text) ?? [];
  if (mark === "@") request.refusal ??= "its data is read from a file, which is not here";
  else parts.push(`${name === "" ? "" : `${name}=`}${encoded(content)}`);
}

/** Templates of variables stay as they are. */
function encoded(text: string): string {
  return text
    .split(/(\{\{\{\w+\}\}\})/)
    .map((part, index) => (index % 2 === 1 ? part : encodeURIComponent(part.toWellFormed())))
    .join("");
}
