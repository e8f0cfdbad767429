import { DnsRecordType } from "#contract/checks/dns.ts";
import type { AssertionDraft, Importing } from "../imported.ts";
import { timeLimits } from "../limits.ts";
import { fieldsOf, textOf } from "../yaml-text.ts";
import { clientFields } from "./client-fields.ts";
import { type Condition, integerComparison, isEquality, wholeNumber, wildcards } from "./conditions.ts";
import { type Endpoint, type EndpointCheck, isConnected, tellInexpressible } from "./endpoint.ts";
import { holds, literal } from "./json-filter.ts";

/** The body of a DNS endpoint is the data of the answer's last record. */
const lastRecord = "$.Answer[-1].data";

/** A DNS monitor; the endpoint's address is the name server. */
export function dnsChecks(importing: Importing, endpoint: Endpoint): readonly EndpointCheck[] {
  const { where, settings } = endpoint;
  const dns = fieldsOf(settings["dns"]);
  const recordType = DnsRecordType.safeParse((textOf(dns["query-type"]) ?? "").toUpperCase());
  const server = /^(?:[a-z]+:\/\/)?(?:\[([^\]]+)\]|([^:/?#]+))(?::(\d{1,5}))?/i.exec(endpoint.url);
  const nameServer = server?.[1] ?? server?.[2];
  if (!recordType.success || nameServer === undefined) {
    const [field, what] = recordType.success
      ? ["url", "it names no server"]
      : ["dns.query-type", `a check asks for one of ${DnsRecordType.options.join(", ")}`];
    importing.warn(`${where}.${field}`, `left out: ${what}`);
    return [];
  }
  const { timeoutMs } = clientFields(importing, endpoint);
  const assertions = endpoint.conditions.flatMap((condition) => assertionOf(importing, condition, recordType.data) ?? []);
  const judgesCode = assertions.some(({ source }) => source === "RESPONSE_CODE");
  const request = {
    query: (textOf(dns["query-name"]) ?? "").replace(/(.)\.$/, "$1"),
    recordType: recordType.data,
    nameServer,
    ...(server?.[3] !== undefined && { port: Number(server[3]) }),
    // Gatus passes any response code that no condition is about.
    assertions: judgesCode ? assertions : [{ source: "RESPONSE_CODE", comparison: "NOT_EMPTY" }, ...assertions],
  };
  return [{ checkType: "DNS", request, ...timeLimits(importing, `${where}.client.timeout`, "DNS", timeoutMs) }];
}

function assertionOf(importing: Importing, condition: Condition, recordType: DnsRecordType): AssertionDraft | undefined {
  const assertion = knownAssertion(condition, recordType);
  if (assertion === undefined && !isConnected(condition)) tellInexpressible(importing, condition);
  return assertion;
}

function knownAssertion(condition: Condition, recordType: DnsRecordType): AssertionDraft | undefined {
  const { placeholder, path, fn, operator, wanted } = condition;
  const number = wholeNumber(wanted);
  if (placeholder === "RESPONSE_TIME" && number !== undefined) return { source: "RESPONSE_TIME", ...integerComparison(operator, number) };
  if (!isEquality(operator) || path !== "" || fn !== undefined) return undefined;
  if (placeholder === "BODY") return recordAssertion(condition, recordType);
  const isCode = placeholder === "DNS_RCODE" && wanted.kind === "text";
  return isCode ? { source: "RESPONSE_CODE", comparison: operator === "==" ? "EQUALS" : "NOT_EQUALS", target: wanted.text } : undefined;
}

function recordAssertion({ operator, wanted }: Condition, recordType: DnsRecordType): AssertionDraft {
  if (wanted.kind === "text" && recordType !== "MX") {
    return { source: "JSON_ANSWER", property: lastRecord, comparison: operator === "==" ? "EQUALS" : "NOT_EQUALS", target: wanted.text };
  }
  const patterns = wanted.kind === "any" ? wanted.texts : [wanted.kind === "pattern" ? wanted.pattern : wanted.text];
  // The data of an MX record begins with its preference, which Gatus leaves out.
  const before = recordType === "MX" ? "[0-9]+ " : "";
  const filter = `match(${lastRecord}, ${literal(`${before}(${patterns.map(wildcards).join("|")})`)})`;
  return holds("JSON_ANSWER", operator === "==" ? filter : `!${filter}`);
}
