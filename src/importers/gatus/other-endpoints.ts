import type { AssertionDraft, Importing } from "../imported.ts";
import { timeLimits } from "../limits.ts";
import { textOf } from "../yaml-text.ts";
import { bodyAssertion } from "./body-conditions.ts";
import { clientFields } from "./client-fields.ts";
import { type Condition, integerComparison, wholeNumber } from "./conditions.ts";
import { type Endpoint, type EndpointCheck, isConnected, isUnreachable, tellInexpressible } from "./endpoint.ts";

const dayMs = 86_400_000;

/** A TCP check. `[CONNECTED] == false` becomes a check that should fail. */
export function tcpChecks(importing: Importing, endpoint: Endpoint): readonly EndpointCheck[] {
  const address = addressOf(importing, endpoint);
  if (address === undefined) return [];
  const { timeoutMs, ipFamily } = clientFields(importing, endpoint);
  const shouldFail = endpoint.conditions.some(isUnreachable);
  const data = textOf(endpoint.settings["body"]);
  const assertions = endpoint.conditions.flatMap((condition) =>
    isUnreachable(condition) ? [] : assertionOf(importing, condition, tcpAssertion(condition)),
  );
  const request = { hostname: address.hostname, port: address.port, ...(data && { data }), ...(ipFamily && { ipFamily }), assertions };
  return [
    {
      checkType: "TCP",
      request,
      ...(shouldFail && { shouldFail }),
      ...timeLimits(importing, `${endpoint.where}.client.timeout`, "TCP", timeoutMs),
    },
  ];
}

function tcpAssertion(condition: Condition): AssertionDraft | undefined {
  const number = wholeNumber(condition.wanted);
  if (condition.placeholder === "RESPONSE_TIME" && number !== undefined && condition.operator !== "==" && condition.operator !== "!=") {
    return { source: "RESPONSE_TIME", ...integerComparison(condition.operator, number) };
  }
  return condition.placeholder === "BODY" ? bodyAssertion(condition, { text: "RESPONSE_DATA" }) : undefined;
}

/** An ICMP monitor that sends one echo request, as Gatus does. */
export function icmpChecks(importing: Importing, endpoint: Endpoint): readonly EndpointCheck[] {
  const hostname = endpoint.url
    .replace(/^icmp:\/\//i, "")
    .replace(/[/?#].*$/s, "")
    .replace(/^\[(.*)\]$/, "$1");
  const { ipFamily } = clientFields(importing, endpoint);
  const assertions = endpoint.conditions.flatMap((condition) => assertionOf(importing, condition, icmpAssertion(condition)));
  return [{ checkType: "ICMP", request: { hostname, pingCount: 1, ...(ipFamily && { ipFamily }), assertions } }];
}

function icmpAssertion({ placeholder, operator, wanted }: Condition): AssertionDraft | undefined {
  const number = wholeNumber(wanted);
  const isOrder = operator !== "==" && operator !== "!=";
  if (placeholder === "RESPONSE_TIME" && number !== undefined && isOrder) {
    // The latency has fractions, so the limit itself is not moved.
    return {
      source: "LATENCY",
      property: "avg",
      comparison: operator.startsWith("<") ? "LESS_THAN" : "GREATER_THAN",
      target: String(number),
    };
  }
  if (placeholder !== "IP" || wanted.kind !== "text" || isOrder) return undefined;
  return {
    source: "JSON_RESPONSE",
    property: "$.resolvedIp",
    comparison: operator === "==" ? "EQUALS" : "NOT_EQUALS",
    target: wanted.text,
  };
}

/** An SSL monitor; `starttls://` is SMTP in Gatus. Gatus grades nothing, so neither does the check. */
export function sslChecks(importing: Importing, endpoint: Endpoint): readonly EndpointCheck[] {
  const address = addressOf(importing, endpoint);
  if (address === undefined) return [];
  const { skipSSL, ipFamily, timeoutMs } = clientFields(importing, endpoint);
  const assertions = endpoint.conditions.flatMap((condition) => {
    if (condition.placeholder === "CERTIFICATE_EXPIRATION") return certificateAssertion(importing, condition);
    const number = wholeNumber(condition.wanted);
    const ofTime = condition.placeholder === "RESPONSE_TIME" && number !== undefined;
    return assertionOf(
      importing,
      condition,
      ofTime ? { source: "RESPONSE_TIME", ...integerComparison(condition.operator, number) } : undefined,
    );
  });
  const sslConfig = {
    ...address,
    skipChainValidation: skipSSL,
    ...(ipFamily && { ipFamily }),
    ...(/^starttls:/i.test(endpoint.url) && { startTls: "smtp" }),
    securityBaseline: { enabled: false },
  };
  return [
    {
      checkType: "SSL",
      request: { sslConfig, assertions },
      ...timeLimits(importing, `${endpoint.where}.client.timeout`, "SSL", timeoutMs),
    },
  ];
}

/** `[CERTIFICATE_EXPIRATION] > 48h`. A check counts whole days, so a part of a day is rounded up. */
export function certificateAssertion(importing: Importing, condition: Condition): AssertionDraft[] {
  const { operator, wanted, where } = condition;
  const ms = wholeNumber(wanted);
  if (ms === undefined || (operator !== ">" && operator !== ">=")) {
    tellInexpressible(importing, condition);
    return [];
  }
  const days = Math.ceil(ms / dayMs);
  if (days * dayMs !== ms) importing.warn(where, `a check counts whole days: it fails from less than ${days} days on`);
  return [{ source: "CERTIFICATE", property: "daysUntilExpiry", comparison: "GREATER_THAN", target: String(days - 1) }];
}

function assertionOf(importing: Importing, condition: Condition, assertion: AssertionDraft | undefined): AssertionDraft[] {
  if (assertion !== undefined) return [assertion];
  if (!isConnected(condition)) tellInexpressible(importing, condition);
  return [];
}

function addressOf(importing: Importing, { url, where }: Endpoint): { readonly hostname: string; readonly port: number } | undefined {
  const address = /^[a-z]+:\/\/(?:\[([^\]]+)\]|([^:/?#]+)):(\d{1,5})/i.exec(url);
  const hostname = address?.[1] ?? address?.[2];
  if (hostname !== undefined) return { hostname, port: Number(address?.[3]) };
  importing.warn(`${where}.url`, "left out: it names no host and port");
  return undefined;
}
