import { bodyFields, type Pair, pairOf, withoutCredentials } from "../http-parts.ts";
import type { AssertionDraft, Importing } from "../imported.ts";
import { timeLimits } from "../limits.ts";
import { allowStatuses, anyStatus } from "../status-assertions.ts";
import { type Fields, fieldsOf, textOf } from "../yaml-text.ts";
import { bodyAssertion } from "./body-conditions.ts";
import { clientFields } from "./client-fields.ts";
import { type Condition, integerComparison, wholeNumber } from "./conditions.ts";
import { type Endpoint, type EndpointCheck, isConnected, tellInexpressible } from "./endpoint.ts";
import { certificateAssertion } from "./other-endpoints.ts";

/** Gatus gives up after this. */
const defaultTimeoutMs = 10_000;

/** An API check, and an SSL monitor where a condition is about the certificate. */
export function httpChecks(importing: Importing, endpoint: Endpoint): readonly EndpointCheck[] {
  const { settings, where, conditions } = endpoint;
  const { url, basicAuth } = withoutCredentials(endpoint.url);
  const { followRedirects, skipSSL, ipFamily, timeoutMs = defaultTimeoutMs } = clientFields(importing, endpoint);
  const ofCertificate = conditions.filter(({ placeholder }) => placeholder === "CERTIFICATE_EXPIRATION");
  const others = conditions.filter(({ placeholder }) => placeholder !== "CERTIFICATE_EXPIRATION");
  const assertions = others.flatMap((condition) => assertionsOf(importing, condition));
  const judgesStatus = assertions.some(({ source }) => source === "STATUS_CODE");
  const check: EndpointCheck = {
    checkType: "API",
    request: {
      method: textOf(settings["method"]) ?? "GET",
      url,
      followRedirects,
      skipSSL,
      ...(ipFamily && { ipFamily }),
      ...sentFields(settings),
      ...(basicAuth && { basicAuth }),
      // Gatus passes any status that no condition is about.
      assertions: judgesStatus ? assertions : [anyStatus, ...assertions],
    },
    ...timeLimits(importing, `${where}.client.timeout`, "API", timeoutMs),
  };
  return [check, ...certificateChecks(importing, url, ofCertificate, skipSSL)];
}

function assertionsOf(importing: Importing, condition: Condition): readonly AssertionDraft[] {
  const found = knownAssertions(importing, condition);
  if (found === undefined) tellInexpressible(importing, condition);
  return found ?? [];
}

function knownAssertions(importing: Importing, condition: Condition): readonly AssertionDraft[] | undefined {
  const { placeholder, operator, wanted } = condition;
  const number = wholeNumber(wanted);
  if (isConnected(condition)) return [];
  if (placeholder === "STATUS" && wanted.kind === "any" && operator === "==") return anyStatusOf(importing, condition, wanted.texts);
  if (placeholder === "STATUS" && number !== undefined) return [{ source: "STATUS_CODE", ...integerComparison(operator, number) }];
  if (placeholder === "RESPONSE_TIME" && number !== undefined) return [{ source: "RESPONSE_TIME", ...integerComparison(operator, number) }];
  const assertion = placeholder === "BODY" ? bodyAssertion(condition, { text: "TEXT_BODY", json: "JSON_BODY" }) : undefined;
  return assertion && [assertion];
}

function anyStatusOf(importing: Importing, { where }: Condition, texts: readonly string[]): readonly AssertionDraft[] | undefined {
  const statuses = texts.map(Number);
  if (statuses.length === 0 || !statuses.every((status) => Number.isInteger(status) && status > 0)) return undefined;
  const { assertions, isExact } = allowStatuses(statuses);
  if (!isExact) importing.warn(where, "the statuses lie far apart: all between the lowest and the highest pass too");
  return assertions;
}

function sentFields(settings: Fields): object {
  const headers = Object.entries(fieldsOf(settings["headers"])).map(([key, value]) => pairOf(key, textOf(value) ?? ""));
  const body = textOf(settings["body"]);
  if (body === undefined || body === "") return { headers };
  if (settings["graphql"] === true) return { headers, body: JSON.stringify({ query: body }), bodyType: "JSON" };
  const isContentType = ({ key }: Pair): boolean => key.toLowerCase() === "content-type";
  const { fields, keepsHeader } = bodyFields(body, headers.find(isContentType)?.value);
  return { ...fields, headers: keepsHeader ? headers : headers.filter((header) => !isContentType(header)) };
}

function certificateChecks(
  importing: Importing,
  url: string,
  conditions: readonly Condition[],
  skipChainValidation: boolean,
): readonly EndpointCheck[] {
  const assertions = conditions.flatMap((condition) => certificateAssertion(importing, condition));
  if (assertions.length === 0) return [];
  const address = /^https:\/\/(?:\[([^\]]+)\]|([^:/?#]+))(?::(\d+))?/i.exec(url);
  const hostname = address?.[1] ?? address?.[2];
  if (hostname === undefined) {
    for (const condition of conditions) tellInexpressible(importing, condition);
    return [];
  }
  const sslConfig = { hostname, port: Number(address?.[3] ?? 443), skipChainValidation, securityBaseline: { enabled: false } };
  return [{ checkType: "SSL", nameSuffix: ", certificate", request: { sslConfig, assertions } }];
}
