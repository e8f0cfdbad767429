import { checkFieldTexts as texts } from "../../../texts/check-fields.ts";
import type { CheckField } from "../check-field.ts";
import { anyFamilyField, limitFields, portField, skipTrustField, timeoutField, urlHostField } from "../shared/network-fields.ts";

export const grpcFields: readonly CheckField[] = [
  urlHostField,
  portField,
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
    optionTexts: texts.definitions,
    isNullable: true,
  },
  { path: "request.grpcConfig.protoContent", label: texts.protoFile, kind: "area", isNullable: true, within: "more" },
  {
    path: "request.grpcConfig.encoding",
    label: texts.encoding,
    kind: "choice",
    options: ["", "PROTOBUF", "FLATBUFFERS"],
    optionTexts: texts.encodings,
    isNullable: true,
    within: "more",
  },
  { path: "request.grpcConfig.bfbsContent", label: texts.bfbsFile, kind: "area", isNullable: true, within: "more" },
  { path: "request.grpcConfig.metadata", label: texts.metadata, kind: "pairs", between: ":", hint: texts.metadataHint, within: "more" },
  skipTrustField,
  anyFamilyField,
  timeoutField,
  ...limitFields,
];
