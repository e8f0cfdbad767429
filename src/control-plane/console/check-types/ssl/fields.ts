import { checkFieldTexts as texts } from "../../../texts/check-fields.ts";
import type { CheckField } from "../check-field.ts";
import { familyField, hostField, limitFields, portField, startTlsField } from "../shared/network-fields.ts";
import { baselineFields } from "./baseline-fields.ts";

export const sslFields: readonly CheckField[] = [
  { ...hostField, path: "request.sslConfig.hostname", hint: texts.hostExample },
  { ...portField, path: "request.sslConfig.port" },
  { path: "request.sslConfig.alertDaysBeforeExpiry", label: texts.expiryDays, kind: "number" },
  { path: "request.sslConfig.skipChainValidation", label: texts.skipChain, kind: "flag", within: "more" },
  {
    path: "request.sslConfig.serverName",
    label: texts.serverName,
    kind: "text",
    hint: texts.serverNameHint,
    isNullable: true,
    within: "more",
  },
  { path: "request.sslConfig.handshakeTimeoutMs", label: texts.handshakeMs, kind: "number", within: "more" },
  { ...startTlsField, path: "request.sslConfig.startTls" },
  { ...familyField, path: "request.sslConfig.ipFamily" },
  ...limitFields,
  ...baselineFields,
];
