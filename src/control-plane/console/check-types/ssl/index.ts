import { SecurityBaseline, SslAssertion } from "#contract/checks/ssl.ts";
import { checkPageTexts } from "../../../texts/check-page.ts";
import type { CheckTypeInConsole } from "../check-type.ts";
import { assertionChoices } from "../shared/assertion-choices.ts";
import { sslDetails } from "./details.ts";
import { sslFields } from "./fields.ts";

const { expiry, expiryLabel } = checkPageTexts.charts;

export const ssl: CheckTypeInConsole<"SSL"> = {
  form: {
    fields: sslFields,
    start: {
      request: {
        sslConfig: {
          hostname: "",
          port: 443,
          alertDaysBeforeExpiry: 20,
          handshakeTimeoutMs: 10_000,
          securityBaseline: SecurityBaseline.parse({}),
        },
      },
      degradedResponseTime: 3_000,
      maxResponseTime: 10_000,
    },
    assertions: assertionChoices(SslAssertion),
  },
  measures: {
    time: "handshakeTimeMs",
    phases: [],
    others: [{ metric: "daysUntilExpiry_min", title: expiry, label: expiryLabel, unit: "days" }],
  },
  subject: ({ request: { sslConfig } }) => `${sslConfig.hostname}:${sslConfig.port}`,
  details: sslDetails,
};
