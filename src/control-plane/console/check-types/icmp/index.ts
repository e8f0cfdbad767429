import { IcmpAssertion } from "#contract/checks/icmp.ts";
import { checkFieldTexts as texts } from "../../../texts/check-fields.ts";
import { checkPageTexts } from "../../../texts/check-page.ts";
import type { CheckTypeInConsole } from "../check-type.ts";
import { assertionChoices } from "../shared/assertion-choices.ts";
import { anyFamilyField, hostField } from "../shared/network-fields.ts";
import { icmpDetails } from "./details.ts";

const { packetLoss, packetLossLabel } = checkPageTexts.charts;

export const icmp: CheckTypeInConsole<"ICMP"> = {
  form: {
    fields: [
      hostField,
      { path: "request.pingCount", label: texts.pings, kind: "number" },
      { path: "degradedPacketLossThreshold", label: texts.degradedLoss, kind: "number" },
      { path: "maxPacketLossThreshold", label: texts.failingLoss, kind: "number" },
      anyFamilyField,
    ],
    start: { request: { hostname: "", pingCount: 10 }, degradedPacketLossThreshold: 10, maxPacketLossThreshold: 20 },
    assertions: assertionChoices(IcmpAssertion),
  },
  measures: {
    time: "latencyAvg",
    phases: [],
    others: [{ metric: "packetLoss_avg", title: packetLoss, label: packetLossLabel, unit: "%" }],
  },
  subject: ({ request }) => request.hostname,
  details: icmpDetails,
};
