import { TcpAssertion } from "#contract/checks/tcp.ts";
import { checkFieldTexts as texts } from "../../../texts/check-fields.ts";
import type { CheckTypeInConsole } from "../check-type.ts";
import { assertionChoices } from "../shared/assertion-choices.ts";
import { familyField, hostField, limitFields, portField, skipTrustField, startTlsField } from "../shared/network-fields.ts";
import { tcpDetails } from "./details.ts";

export const tcp: CheckTypeInConsole<"TCP"> = {
  form: {
    fields: [
      hostField,
      portField,
      { path: "request.tls", label: texts.tls, kind: "flag" },
      { path: "request.data", label: texts.dataToSend, kind: "area", isNullable: true, within: "more" },
      { path: "request.expect", label: texts.expect, kind: "text", hint: texts.expectHint, isNullable: true, within: "more" },
      startTlsField,
      skipTrustField,
      familyField,
      ...limitFields,
      { path: "shouldFail", label: texts.closedPasses, kind: "flag", within: "more" },
    ],
    start: { request: { hostname: "" }, degradedResponseTime: 3_000, maxResponseTime: 5_000 },
    assertions: assertionChoices(TcpAssertion),
  },
  measures: { time: "total", phases: ["dns", "connection", "data"], others: [] },
  subject: ({ request }) => `${request.hostname}:${request.port}`,
  details: tcpDetails,
};
