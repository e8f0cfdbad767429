import { type BasicAuth, bodyFields, type Pair, pairOf, withoutCredentials } from "../http-parts.ts";
import type { AssertionDraft, Importing } from "../imported.ts";
import { timeLimits } from "../limits.ts";
import { allowStatusClass, allowStatuses } from "../status-assertions.ts";
import { type Fields, fieldsOf, isFields, listOf, otherFields, textOf, textsOf } from "../yaml-text.ts";
import { ipFamilyOf, matches, tellOthers, tlsFields } from "./module-fields.ts";
import type { ProbeModule, Prober } from "./prober.ts";

const known = [
  "method",
  "headers",
  "http_headers",
  "body",
  "valid_status_codes",
  "follow_redirects",
  "no_follow_redirects",
  "tls_config",
  "fail_if_ssl",
  "fail_if_not_ssl",
  "fail_if_body_matches_regexp",
  "fail_if_body_not_matches_regexp",
  "fail_if_header_matches",
  "fail_if_header_not_matches",
  "basic_auth",
  "authorization",
  "bearer_token",
  "bearer_token_file",
  "preferred_ip_protocol",
  "ip_protocol_fallback",
  "compression",
  "body_size_limit",
  "enable_http2",
];

/** An API check with what the http prober holds against an answer. */
export const httpCheckOf: Prober = (importing, module, target, where) => {
  const { settings } = module;
  tellOthers(importing, module, known);
  const { url, basicAuth: inUrl } = withoutCredentials(/^https?:\/\//i.test(target) ? target : `http://${target}`);
  if (settings["fail_if_ssl"] === true) importing.warn(`${module.where}.fail_if_ssl`, "no assertion says that an answer came without TLS");
  if (settings["fail_if_not_ssl"] === true && !/^https:/i.test(url)) {
    importing.warn(where, "the module wants TLS and the target is http: no assertion says so");
  }
  const sent = bodyOf(settings, headersOf(importing, module));
  const basicAuth = basicAuthOf(importing, module) ?? inUrl;
  return {
    checkType: "API",
    request: {
      method: textOf(settings["method"]) ?? "GET",
      url,
      followRedirects: settings["no_follow_redirects"] === true ? false : settings["follow_redirects"] !== false,
      ...tlsFields(importing, module),
      ...ipFamilyOf(settings),
      ...sent,
      assertions: [...statusAssertions(importing, module), ...bodyAssertions(settings), ...headerAssertions(importing, module)],
      ...(basicAuth && { basicAuth }),
    },
    ...timeLimits(importing, `modules.${module.name}.timeout`, "API", module.timeoutMs),
  };
};

/** Any of 200 to 299 unless the module lists statuses. */
function statusAssertions(importing: Importing, { settings, where }: ProbeModule): readonly AssertionDraft[] {
  const statuses = textsOf(settings["valid_status_codes"]).map(Number);
  if (statuses.length === 0 || !statuses.every(Number.isInteger)) return allowStatusClass(2);
  const { assertions, isExact } = allowStatuses(statuses);
  if (!isExact)
    importing.warn(`${where}.valid_status_codes`, "the statuses lie far apart: all between the lowest and the highest pass too");
  return assertions;
}

function bodyAssertions(settings: Fields): AssertionDraft[] {
  return [
    ...textsOf(settings["fail_if_body_matches_regexp"]).map((regexp) => matches("TEXT_BODY", regexp, false)),
    ...textsOf(settings["fail_if_body_not_matches_regexp"]).map((regexp) => matches("TEXT_BODY", regexp, true)),
  ];
}

function headerAssertions(importing: Importing, { settings, where }: ProbeModule): AssertionDraft[] {
  const rules = [
    ...listOf(settings["fail_if_header_matches"]).map((rule, index) => ({ rule, at: `fail_if_header_matches[${index}]`, wanted: false })),
    ...listOf(settings["fail_if_header_not_matches"]).map((rule, index) => ({
      rule,
      at: `fail_if_header_not_matches[${index}]`,
      wanted: true,
    })),
  ];
  return rules.flatMap(({ rule, at, wanted }): AssertionDraft[] => {
    const { header, regexp, allow_missing: allowsMissing } = fieldsOf(rule);
    const [property, regex] = [textOf(header), textOf(regexp)];
    if (property === undefined || regex === undefined) return [];
    const matching = { source: "HEADERS", property, regex: `(${regex})`, comparison: wanted ? "NOT_NULL" : "IS_NULL" } as const;
    if (wanted && allowsMissing === true) importing.warn(`${where}.${at}`, "a missing header fails the check too");
    return wanted || allowsMissing === true ? [matching] : [{ source: "HEADERS", property, comparison: "NOT_NULL" }, matching];
  });
}

function headersOf(importing: Importing, { settings, where, name }: ProbeModule): Pair[] {
  const headers = Object.entries(fieldsOf(settings["headers"])).map(([key, value]) => pairOf(key, textOf(value) ?? ""));
  for (const [key, value] of Object.entries(fieldsOf(settings["http_headers"]))) {
    const { values, secrets, files } = fieldsOf(value);
    headers.push(
      ...textsOf(values).map((text) => pairOf(key, text)),
      ...textsOf(secrets).map((text) => ({ key, value: text, locked: true })),
    );
    if (files !== undefined) importing.warn(`${where}.http_headers.${key}.files`, "left out: the files are not here");
  }
  const { type, credentials, credentials_file: file } = fieldsOf(settings["authorization"]);
  const scheme = textOf(type) ?? "Bearer";
  const token = textOf(credentials) ?? textOf(settings["bearer_token"]);
  const isInFile = file !== undefined || settings["bearer_token_file"] !== undefined;
  if (token !== undefined) headers.push({ key: "Authorization", value: `${scheme} ${token}`, locked: true });
  else if (isInFile) {
    const variable = variableOf(importing, where, name, "TOKEN");
    headers.push({ key: "Authorization", value: `${scheme} ${variable}`, locked: true });
  }
  return headers;
}

function basicAuthOf(importing: Importing, { settings, where, name }: ProbeModule): BasicAuth | undefined {
  const given = settings["basic_auth"];
  if (!isFields(given)) return undefined;
  const username = textOf(given["username"]) ?? (given["username_file"] ? variableOf(importing, where, name, "USERNAME") : "");
  const password = textOf(given["password"]) ?? (given["password_file"] ? variableOf(importing, where, name, "PASSWORD") : "");
  for (const field of otherFields(given, ["username", "username_file", "password", "password_file"])) {
    importing.warn(`${where}.basic_auth.${field}`, "left out: not known");
  }
  return { username, password };
}

/** A template for what stands in a file of the exporter. */
function variableOf(importing: Importing, where: string, module: string, what: string): string {
  const variable = `BLACKBOX_${module}_${what}`.toUpperCase().replace(/\W+/g, "_");
  importing.warn(where, `a secret stands in a file that is not here: create it as the secret environment variable ${variable}`);
  return `{{${variable}}}`;
}

function bodyOf(settings: Fields, headers: readonly Pair[]): object {
  const body = textOf(settings["body"]);
  if (body === undefined) return { headers };
  const isContentType = ({ key }: Pair): boolean => key.toLowerCase() === "content-type";
  const { fields, keepsHeader } = bodyFields(body, headers.find(isContentType)?.value);
  return { ...fields, headers: keepsHeader ? headers : headers.filter((header) => !isContentType(header)) };
}
