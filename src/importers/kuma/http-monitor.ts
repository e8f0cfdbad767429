import { bodyFields, type Pair, pairOf, withoutCredentials } from "../http-parts.ts";
import type { AssertionDraft, Importing } from "../imported.ts";
import { timeLimits } from "../limits.ts";
import { allowStatuses } from "../status-assertions.ts";
import { type Fields, fieldsOf, listOf, textOf } from "../yaml-text.ts";
import { isOn, type MonitorCheck, timeoutOf } from "./monitor.ts";

/** Kuma's own, where a monitor says nothing. */
const defaultStatuses = ["200-299"];
const expiryDays = 7;

/** An API check, and an SSL monitor where Kuma tells of the certificate's expiry. */
export function httpChecks(importing: Importing, monitor: Fields, where: string): readonly MonitorCheck[] {
  const { url, basicAuth = basicAuthOf(importing, monitor, where) } = withoutCredentials(textOf(monitor["url"]) ?? "");
  const skipSSL = isOn(monitor["ignoreTls"]);
  const request = {
    method: textOf(monitor["method"])?.toUpperCase() ?? "GET",
    url,
    followRedirects: monitor["maxredirects"] !== 0,
    skipSSL,
    ...sentFields(importing, monitor, where),
    ...(basicAuth && { basicAuth }),
    assertions: [...statusAssertions(importing, monitor, where), ...bodyAssertions(importing, monitor, where)],
  };
  const check: MonitorCheck = { checkType: "API", request, ...timeLimits(importing, `${where}.timeout`, "API", timeoutOf(monitor)) };
  return isOn(monitor["expiryNotification"]) ? [check, ...certificateChecks(url, skipSSL)] : [check];
}

function basicAuthOf(importing: Importing, { authMethod, basic_auth_user: user, basic_auth_pass: password }: Fields, where: string) {
  const method = textOf(authMethod) ?? "";
  if (method !== "" && method !== "basic") {
    importing.warn(`${where}.authMethod`, "left out: a check has basic auth, or a setup script");
    return undefined;
  }
  const username = textOf(user) ?? "";
  return username === "" ? undefined : { username, password: textOf(password) ?? "" };
}

function statusAssertions(importing: Importing, { accepted_statuscodes: accepted }: Fields, where: string): readonly AssertionDraft[] {
  const ranges = listOf(accepted).flatMap((one) => textOf(one) ?? []);
  const statuses = (ranges.length === 0 ? defaultStatuses : ranges).flatMap(statusesIn);
  if (statuses.length === 0) return [];
  const { assertions, isExact } = allowStatuses(statuses);
  if (!isExact) importing.warn(`${where}.accepted_statuscodes`, "they lie far apart: all between the lowest and the highest pass too");
  return assertions;
}

/** `404`, or `200-299`. */
function statusesIn(text: string): readonly number[] {
  const [, first = "", last = first] = /^(\d{3})(?:-(\d{3}))?$/.exec(text.trim()) ?? [];
  const count = first === "" ? 0 : Math.max(0, Number(last) - Number(first) + 1);
  return Array.from({ length: count }, (_, index) => Number(first) + index);
}

function bodyAssertions(importing: Importing, monitor: Fields, where: string): readonly AssertionDraft[] {
  const keyword = textOf(monitor["keyword"]) ?? "";
  if (monitor["type"] === "keyword" && keyword !== "")
    return [{ source: "TEXT_BODY", comparison: isOn(monitor["invertKeyword"]) ? "NOT_CONTAINS" : "CONTAINS", target: keyword }];
  return monitor["type"] === "json-query" ? jsonAssertions(importing, monitor, where) : [];
}

const operators: Readonly<Record<string, AssertionDraft["comparison"]>> = {
  "==": "EQUALS",
  "!=": "NOT_EQUALS",
  ">": "GREATER_THAN",
  "<": "LESS_THAN",
  contains: "CONTAINS",
};

/** Kuma asks in JSONata, of which a plain path is a path everywhere. */
function jsonAssertions(
  importing: Importing,
  { jsonPath, jsonPathOperator, expectedValue }: Fields,
  where: string,
): readonly AssertionDraft[] {
  const path = (textOf(jsonPath) ?? "").replace(/^\$\.?/, "");
  const comparison = operators[textOf(jsonPathOperator) ?? "=="];
  if (!/^(?:[A-Za-z_]\w*|\[\d+\])?(?:\.[A-Za-z_]\w*|\[\d+\])*$/.test(path) || comparison === undefined) {
    importing.warn(`${where}.jsonPath`, "left out: only a plain path, and a comparison by ==, !=, <, > or contains, becomes an assertion");
    return [];
  }
  const property = path === "" ? "$" : path.startsWith("[") ? `$${path}` : `$.${path}`;
  return [{ source: "JSON_BODY", property, comparison, target: textOf(expectedValue) ?? "" }];
}

const contentTypes: Readonly<Record<string, string>> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  xml: "text/xml; charset=utf-8",
};

function sentFields(importing: Importing, monitor: Fields, where: string): object {
  const headers = headersOf(importing, monitor, where);
  const body = textOf(monitor["body"]) ?? "";
  if (body === "") return { headers };
  const isContentType = ({ key }: Pair): boolean => key.toLowerCase() === "content-type";
  const own = headers.find(isContentType)?.value;
  const contentType = own ?? contentTypes[textOf(monitor["httpBodyEncoding"]) ?? "json"];
  const { fields, keepsHeader } = bodyFields(body, contentType);
  const others = headers.filter((header) => !isContentType(header));
  return { ...fields, headers: keepsHeader && contentType !== undefined ? [pairOf("Content-Type", contentType), ...others] : others };
}

/** Kuma keeps them as JSON in a text. */
function headersOf(importing: Importing, { headers }: Fields, where: string): readonly Pair[] {
  const text = textOf(headers) ?? "";
  if (text.trim() === "") return [];
  try {
    return Object.entries(fieldsOf(JSON.parse(text) as unknown)).map(([key, value]) => pairOf(key, textOf(value) ?? ""));
  } catch {
    importing.warn(`${where}.headers`, "left out: they are no JSON object");
    return [];
  }
}

function certificateChecks(url: string, skipChainValidation: boolean): readonly MonitorCheck[] {
  const address = /^https:\/\/(?:\[([^\]]+)\]|([^:/?#]+))(?::(\d+))?/i.exec(url);
  const hostname = address?.[1] ?? address?.[2];
  if (hostname === undefined) return [];
  const sslConfig = { hostname, port: Number(address?.[3] ?? 443), skipChainValidation, securityBaseline: { enabled: false } };
  const assertions = [{ source: "CERTIFICATE", property: "daysUntilExpiry", comparison: "GREATER_THAN", target: String(expiryDays - 1) }];
  return [{ checkType: "SSL", nameSuffix: ", certificate", request: { sslConfig, assertions } }];
}
