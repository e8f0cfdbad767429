import { DnsAssertion, DnsProtocol, DnsRecordType } from "#contract/checks/dns.ts";
import { checkFieldTexts as texts } from "../../../texts/check-fields.ts";
import type { CheckTypeInConsole } from "../check-type.ts";
import { assertionChoices } from "../shared/assertion-choices.ts";
import { limitFields, portField, skipTrustField } from "../shared/network-fields.ts";
import { dnsDetails } from "./details.ts";

export const dns: CheckTypeInConsole<"DNS"> = {
  form: {
    fields: [
      { path: "request.query", label: texts.query, kind: "text", hint: texts.hostExample },
      { path: "request.recordType", label: texts.recordType, kind: "choice", options: DnsRecordType.options },
      { path: "request.nameServer", label: texts.nameServer, kind: "text", hint: texts.nameServerHint },
      { ...portField, hint: texts.dnsPortHint, ofProtocol: { UDP: 53, TCP: 53, DOT: 853, DOH: 443 }, within: "more" },
      { path: "request.protocol", label: texts.protocol, kind: "choice", options: DnsProtocol.options, within: "more" },
      skipTrustField,
      ...limitFields,
    ],
    start: { request: { query: "", recordType: "A", protocol: "UDP" }, degradedResponseTime: 500, maxResponseTime: 1_000 },
    assertions: assertionChoices(DnsAssertion),
  },
  measures: { time: "total", phases: [], others: [] },
  subject: ({ request }) => `${request.query} ${request.recordType}`,
  details: dnsDetails,
};
