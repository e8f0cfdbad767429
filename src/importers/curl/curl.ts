import { bodyFields, type Pair, pairOf, placeOf, withoutCredentials } from "../http-parts.ts";
import { type Imported, Importing, nameOf } from "../imported.ts";
import { timeLimits } from "../limits.ts";
import { curlArguments } from "./options.ts";
import { type CurlRequest, curlRequest } from "./request.ts";
import { type ShellCommand, shellCommands } from "./shell-words.ts";

const methods = ["GET", "POST", "PUT", "HEAD", "DELETE", "PATCH", "OPTIONS"];
/** What may stand before the command: a prompt, variables, and commands that run another one. */
const beforeCurl = /^([$%>]|sudo|time|env|exec|[A-Za-z_]\w*=.*)$/s;

/** One API check per address of each curl command. Redirects are followed only where curl would (`-L`). */
export function importCurl(text: string): Imported {
  const importing = new Importing();
  for (const command of shellCommands(text)) importCommand(importing, command);
  return importing;
}

function importCommand(importing: Importing, { line, words, problem }: ShellCommand): void {
  const where = `line ${line}`;
  const start = words.findIndex((word) => !beforeCurl.test(word));
  if (start < 0 && words.length > 0 && problem === undefined) return; // a prompt alone, or variables of the shell
  if (!/^(.*[/\\])?curl(\.exe)?$/.test(words[start] ?? "")) return importing.warn(where, "left out: it is no curl command");
  if (problem !== undefined) return importing.warn(where, `left out: ${problem}`);
  for (const part of partsOf(withoutRedirections(words.slice(start + 1)))) importRequest(importing, where, part);
}

/** `--next` begins another request. */
function partsOf(words: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  for (const word of words) {
    if (word === "--next" || word === "-:") parts.push([]);
    else parts.at(-1)?.push(word);
  }
  return parts.filter((part) => part.length > 0);
}

/** `> file`, `2>/dev/null`: where the answer goes is no part of the request. */
function withoutRedirections(words: readonly string[]): string[] {
  return words.filter((word, index) => !/^\d?>/.test(word) && !/^\d?>>?$/.test(words[index - 1] ?? ""));
}

function importRequest(importing: Importing, where: string, words: readonly string[]): void {
  const { options, urls: positional, unknown } = curlArguments(words);
  const request = curlRequest(options);
  for (const name of unknown) importing.warn(where, `${name}: not known, so it is left out`);
  for (const warning of request.warnings) importing.warn(where, warning);
  if (request.refusal !== undefined) return importing.warn(where, `left out: ${request.refusal}`);
  const urls = [...request.urls, ...positional];
  if (urls.length === 0) return importing.warn(where, "left out: it has no address");
  for (const url of urls) importAddress(importing, where, request, url);
}

function importAddress(importing: Importing, where: string, request: CurlRequest, address: string): void {
  const sendsBody = request.data.length > 0 && !request.dataIsQuery;
  const method = methodOf(request, sendsBody);
  if (!methods.includes(method)) return importing.warn(where, `left out: a check's method is one of ${methods.join(", ")}`);
  if (request.globs && /\{[^{}]*,[^{}]*\}|\[(\d+-\d+|[a-z]-[a-z])(:\d+)?\]/i.test(address)) {
    return importing.warn(where, "left out: it names several addresses by a pattern");
  }
  const { url, basicAuth: inUrl } = withoutCredentials(/^([a-z][a-z0-9+.-]*:\/\/|\{\{)/i.test(address) ? address : `http://${address}`);
  const { fields, headers } = bodyOf(request, sendsBody);
  const query = [...request.query, ...(request.dataIsQuery ? request.data : [])];
  const { followRedirects, skipSSL, ipFamily, basicAuth = inUrl } = request;
  const checkRequest = { method, url: withQuery(url, query), followRedirects, skipSSL, ipFamily, headers, ...fields };
  const isAdded = importing.add(where, {
    checkType: "API",
    name: nameOf(`${method} ${placeOf(url)}`),
    request: { ...checkRequest, ...(basicAuth && { basicAuth }) },
    ...timeLimits(importing, where, "API", request.timeoutMs),
  });
  if (isAdded) tellTemplates(importing, where, JSON.stringify([checkRequest, basicAuth]));
}

function methodOf({ method, isHead }: CurlRequest, sendsBody: boolean): string {
  if (method !== undefined) return method;
  if (isHead) return "HEAD";
  return sendsBody ? "POST" : "GET";
}

/** The body with its type, and the headers that are left when the type says one of them. */
function bodyOf(request: CurlRequest, sendsBody: boolean): { readonly fields: object; readonly headers: readonly Pair[] } {
  const named = (name: string) => (header: Pair) => header.key.toLowerCase() === name;
  const isContentType = named("content-type");
  const headers = [...request.headers];
  if (request.isJson && !headers.some(named("accept"))) headers.push(pairOf("Accept", "application/json"));
  if (!sendsBody) return { fields: {}, headers };
  const contentType = headers.find(isContentType)?.value ?? (request.isJson ? "application/json" : "application/x-www-form-urlencoded");
  const { fields, keepsHeader } = bodyFields(request.data.join(request.isJson ? "" : "&"), contentType);
  return { fields, headers: keepsHeader ? headers : headers.filter((header) => !isContentType(header)) };
}

function withQuery(url: string, query: readonly string[]): string {
  if (query.length === 0) return url;
  const [, base = "", fragment = ""] = /^([^#]*)(.*)$/s.exec(url) ?? [];
  return `${base}${base.includes("?") ? "&" : "?"}${query.join("&")}${fragment}`;
}

/** Variables of the shell have become templates; what looked like a template before is one now. */
function tellTemplates(importing: Importing, where: string, request: string): void {
  const variables = new Set(request.matchAll(/\{\{\{(\w+)\}\}\}/g).map(([, name]) => name));
  if (variables.size > 0) importing.warn(where, `needs environment variables of these names: ${[...variables].join(", ")}`);
  if (request.replace(/\{\{\{\w+\}\}\}/g, "").includes("{{")) importing.warn(where, "it sends {{, which begins a template in a check");
}
