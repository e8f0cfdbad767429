import { checkFieldTexts as texts } from "../../texts/check-fields.ts";
import type { CheckField } from "./check-field.ts";

const ipFamily: CheckField = {
  path: "request.ipFamily",
  label: texts.ipFamily,
  kind: "choice",
  options: ["", "IPv4", "IPv6"],
  isNullable: true,
  within: "more",
};
const timeout: CheckField = { path: "request.timeout", label: texts.timeout, kind: "number", within: "more" };

export const grpcFields: readonly CheckField[] = [
  { path: "request.url", label: texts.host, kind: "text", hint: texts.hostHint },
  { path: "request.port", label: texts.port, kind: "number" },
  { path: "request.grpcConfig.mode", label: texts.mode, kind: "choice", options: ["BEHAVIOR", "HEALTH"], optionTexts: texts.modes },
  { path: "request.grpcConfig.tls", label: texts.grpcTls, kind: "flag" },
  { path: "request.grpcConfig.service", label: texts.service, kind: "text", isNullable: true },
  { path: "request.grpcConfig.method", label: texts.call, kind: "text", isNullable: true },
  { path: "request.grpcConfig.message", label: texts.message, kind: "area", isNullable: true },
  {
    path: "request.grpcConfig.serviceDefinition",
    label: texts.definition,
    kind: "choice",
    options: ["", "REFLECTION", "PROTO_FILE"],
    isNullable: true,
  },
  { path: "request.grpcConfig.protoContent", label: texts.protoFile, kind: "area", isNullable: true, within: "more" },
  {
    path: "request.grpcConfig.encoding",
    label: texts.encoding,
    kind: "choice",
    options: ["", "PROTOBUF", "FLATBUFFERS"],
    isNullable: true,
    within: "more",
  },
  { path: "request.grpcConfig.bfbsContent", label: texts.bfbsFile, kind: "area", isNullable: true, within: "more" },
  { path: "request.grpcConfig.metadata", label: texts.metadata, kind: "pairs", between: ":", hint: texts.metadataHint, within: "more" },
  { path: "request.skipSSL", label: texts.skipTrust, kind: "flag", within: "more" },
  ipFamily,
  timeout,
];

export const tracerouteFields: readonly CheckField[] = [
  { path: "request.url", label: texts.host, kind: "text", hint: texts.hostHint },
  { path: "request.protocol", label: texts.protocol, kind: "choice", options: ["", "TCP", "ICMP", "UDP", "SCTP"], isNullable: true },
  { path: "request.port", label: texts.port, kind: "number" },
  { path: "request.maxHops", label: texts.maxHops, kind: "number", within: "more" },
  { path: "request.maxUnknownHops", label: texts.maxUnknownHops, kind: "number", within: "more" },
  { path: "request.ptrLookup", label: texts.names, kind: "flag", within: "more" },
  ipFamily,
  timeout,
];
