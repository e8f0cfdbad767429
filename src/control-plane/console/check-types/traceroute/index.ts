import { TracerouteAssertion } from "#contract/checks/traceroute.ts";
import { checkFieldTexts as texts } from "../../../texts/check-fields.ts";
import { checkPageTexts } from "../../../texts/check-page.ts";
import type { CheckTypeInConsole } from "../check-type.ts";
import { assertionChoices } from "../shared/assertion-choices.ts";
import { anyFamilyField, limitFields, portField, timeoutField, urlHostField } from "../shared/network-fields.ts";
import { tracerouteDetails } from "./details.ts";

const { hops, hopsLabel, packetLoss, packetLossLabel } = checkPageTexts.charts;

export const traceroute: CheckTypeInConsole<"TRACEROUTE"> = {
  form: {
    fields: [
      urlHostField,
      { path: "request.protocol", label: texts.protocol, kind: "choice", options: ["", "TCP", "ICMP", "UDP"], isNullable: true },
      portField,
      { path: "request.maxHops", label: texts.maxHops, kind: "number", within: "more" },
      { path: "request.maxUnknownHops", label: texts.maxUnknownHops, kind: "number", within: "more" },
      { path: "request.ptrLookup", label: texts.names, kind: "flag", within: "more" },
      anyFamilyField,
      timeoutField,
      ...limitFields,
    ],
    start: { request: { url: "" } },
    assertions: assertionChoices(TracerouteAssertion),
  },
  measures: {
    time: "responseTime",
    phases: [],
    others: [
      { metric: "hopCount_max", title: hops, label: hopsLabel, unit: "hops" },
      { metric: "packetLoss_avg", title: packetLoss, label: packetLossLabel, unit: "%" },
    ],
  },
  subject: ({ request: { url, protocol, port } }) => `${protocol ?? "TCP"} ${url}${port == null ? "" : `:${port}`}`,
  details: tracerouteDetails,
};
