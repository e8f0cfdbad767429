import { StartTls } from "#contract/checks/connection.ts";
import { DnsProtocol, DnsRecordType } from "#contract/checks/dns.ts";
import { timeUnits } from "#contract/checks/heartbeat.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { checkFieldTexts as texts } from "../../texts/check-fields.ts";
import { baselineFields } from "./baseline-fields.ts";
import type { CheckField } from "./check-field.ts";
import { grpcFields, tracerouteFields } from "./network-fields.ts";
import { playwrightFields, requestScriptFields, scriptFields, sslDomainField } from "./script-fields.ts";

/** Types that the form knows: those that agents run and heartbeats first. */
export const editableTypes = [
  "URL",
  "API",
  "TCP",
  "DNS",
  "ICMP",
  "SSL",
  "HEARTBEAT",
  "BROWSER",
  "MULTI_STEP",
  "PLAYWRIGHT",
  "AGENTIC",
  "GRPC",
  "TRACEROUTE",
] as const satisfies readonly CheckTypeName[];
export type EditableType = (typeof editableTypes)[number];

export function typeNamed(name: string | null): EditableType | undefined {
  return editableTypes.find((type) => type === name);
}

const limits: readonly CheckField[] = [
  { path: "degradedResponseTime", label: texts.degradedTime, kind: "number" },
  { path: "maxResponseTime", label: texts.failingTime, kind: "number" },
];
const families = { path: "request.ipFamily", label: texts.ipFamily, kind: "choice", options: ["IPv4", "IPv6"], within: "more" } as const;
const skipTrust: CheckField = { path: "request.skipSSL", label: texts.skipTrust, kind: "flag", within: "more" };
const startTls = { label: texts.startTls, kind: "choice", options: ["", ...StartTls.options], isNullable: true, within: "more" } as const;
const http: readonly CheckField[] = [
  { path: "request.followRedirects", label: texts.followRedirects, kind: "flag", within: "more" },
  skipTrust,
  families,
  { path: "shouldFail", label: texts.errorPasses, kind: "flag", within: "more" },
];

export const fieldsOf: { readonly [T in EditableType]: readonly CheckField[] } = {
  URL: [{ path: "request.url", label: texts.url, kind: "text", hint: texts.urlExample }, ...limits, ...http],
  API: [
    { path: "request.method", label: texts.method, kind: "choice", options: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] },
    { path: "request.url", label: texts.url, kind: "text", hint: texts.apiExample },
    { path: "request.headers", label: texts.headers, kind: "pairs", between: ":", hint: texts.headersHint },
    { path: "request.queryParameters", label: texts.parameters, kind: "pairs", between: "=", hint: texts.parametersHint, within: "more" },
    { path: "request.bodyType", label: texts.body, kind: "choice", options: ["NONE", "JSON", "FORM", "RAW", "GRAPHQL"] },
    { path: "request.body", label: texts.bodyContent, kind: "area" },
    ...limits,
    ...http,
    { path: "request.basicAuth.username", label: texts.user, kind: "text", within: "more" },
    { path: "request.basicAuth.password", label: texts.password, kind: "password", hint: texts.keptPassword, within: "more" },
    ...requestScriptFields,
  ],
  TCP: [
    { path: "request.hostname", label: texts.host, kind: "text", hint: texts.hostHint },
    { path: "request.port", label: texts.port, kind: "number" },
    { path: "request.tls", label: texts.tls, kind: "flag" },
    { path: "request.data", label: texts.dataToSend, kind: "area", isNullable: true, within: "more" },
    { path: "request.expect", label: texts.expect, kind: "text", hint: texts.expectHint, isNullable: true, within: "more" },
    { path: "request.startTls", ...startTls },
    skipTrust,
    families,
    ...limits,
    { path: "shouldFail", label: texts.closedPasses, kind: "flag", within: "more" },
  ],
  DNS: [
    { path: "request.query", label: texts.query, kind: "text", hint: texts.hostExample },
    { path: "request.recordType", label: texts.recordType, kind: "choice", options: DnsRecordType.options },
    { path: "request.nameServer", label: texts.nameServer, kind: "text", hint: texts.nameServerHint },
    {
      path: "request.port",
      label: texts.port,
      kind: "number",
      hint: texts.dnsPortHint,
      ofProtocol: { UDP: 53, TCP: 53, DOT: 853, DOH: 443 },
      within: "more",
    },
    { path: "request.protocol", label: texts.protocol, kind: "choice", options: DnsProtocol.options, within: "more" },
    skipTrust,
    ...limits,
  ],
  ICMP: [
    { path: "request.hostname", label: texts.host, kind: "text", hint: texts.hostHint },
    { path: "request.pingCount", label: texts.pings, kind: "number" },
    { path: "degradedPacketLossThreshold", label: texts.degradedLoss, kind: "number" },
    { path: "maxPacketLossThreshold", label: texts.failingLoss, kind: "number" },
    { ...families, options: ["", "IPv4", "IPv6"], isNullable: true },
  ],
  SSL: [
    { path: "request.sslConfig.hostname", label: texts.host, kind: "text", hint: texts.hostExample },
    { path: "request.sslConfig.port", label: texts.port, kind: "number" },
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
    { path: "request.sslConfig.startTls", ...startTls },
    { ...families, path: "request.sslConfig.ipFamily" },
    ...limits,
    ...baselineFields,
  ],
  HEARTBEAT: [
    { path: "heartbeat.period", label: texts.period, kind: "number" },
    { path: "heartbeat.periodUnit", label: texts.periodUnit, kind: "choice", options: timeUnits },
    { path: "heartbeat.grace", label: texts.grace, kind: "number" },
    { path: "heartbeat.graceUnit", label: texts.graceUnit, kind: "choice", options: timeUnits },
  ],
  BROWSER: [...scriptFields, sslDomainField],
  MULTI_STEP: scriptFields,
  PLAYWRIGHT: playwrightFields,
  AGENTIC: [...scriptFields, ...limits, sslDomainField, ...requestScriptFields.filter(({ kind }) => kind !== "runtime")],
  GRPC: [...grpcFields, ...limits],
  TRACEROUTE: [...tracerouteFields, ...limits],
};
