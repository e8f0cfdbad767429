import { StartTls } from "#contract/checks/connection.ts";
import { checkFieldTexts as texts } from "../../../texts/check-fields.ts";
import type { CheckField } from "../check-field.ts";

export const limitFields: readonly CheckField[] = [
  { path: "degradedResponseTime", label: texts.degradedTime, kind: "number" },
  { path: "maxResponseTime", label: texts.failingTime, kind: "number" },
];

export const familyField = {
  path: "request.ipFamily",
  label: texts.ipFamily,
  kind: "choice",
  options: ["IPv4", "IPv6"],
  within: "more",
} as const satisfies CheckField;
/** Of checks that may leave it open. */
export const anyFamilyField: CheckField = { ...familyField, options: ["", "IPv4", "IPv6"], isNullable: true };

export const hostField: CheckField = { path: "request.hostname", label: texts.host, kind: "text", hint: texts.hostHint };
/** Of checks whose request calls its host so. */
export const urlHostField: CheckField = { ...hostField, path: "request.url" };
export const portField: CheckField = { path: "request.port", label: texts.port, kind: "number" };
export const skipTrustField: CheckField = { path: "request.skipSSL", label: texts.skipTrust, kind: "flag", within: "more" };
export const timeoutField: CheckField = { path: "request.timeout", label: texts.timeout, kind: "number", within: "more" };

export const startTlsField: CheckField = {
  path: "request.startTls",
  label: texts.startTls,
  kind: "choice",
  options: ["", ...StartTls.options],
  isNullable: true,
  within: "more",
};
