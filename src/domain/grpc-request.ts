import type { GrpcRequest } from "#contract/checks/grpc.ts";
import type { InputProblem } from "./invalid-input.ts";

/** More does not fit into the headers that servers take; most stop at 8 KB. */
const maxMetadataLength = 32_768;

/** What is wrong with the request of a gRPC monitor beyond the form of its fields, each with its path; empty when nothing is. */
export function grpcRequestProblems(request: GrpcRequest, { mayHoldTemplates }: { readonly mayHoldTemplates: boolean }): InputProblem[] {
  const problems: InputProblem[] = [];
  const hold = (path: string, text: string, message: string | null): void => {
    if (message !== null && !(mayHoldTemplates && text.includes("{{"))) problems.push({ path: `request.${path}`, message });
  };
  hold("url", request.url, hostProblem(request.url));
  hold("port", String(request.port), portOf(request) === null ? "must be a whole number from 1 to 65535" : null);
  for (const [index, { key, value }] of request.grpcConfig.metadata.entries()) {
    const unfit = keyProblem(key); // keys have no templates
    if (unfit !== null) problems.push({ path: `request.grpcConfig.metadata[${index}].key`, message: unfit });
    hold(`grpcConfig.metadata[${index}].value`, value, valueProblem(key, value));
  }
  const sentLength = request.grpcConfig.metadata.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
  if (sentLength > maxMetadataLength)
    problems.push({ path: "request.grpcConfig.metadata", message: `has ${sentLength} characters; at most ${maxMetadataLength} are sent` });
  if (request.grpcConfig.mode === "HEALTH") return problems;
  for (const [field, text, message] of callProblems(request.grpcConfig)) hold(`grpcConfig.${field}`, text, message);
  return problems;
}

/** The port, a number also where it was a template; null when it is none. */
export function portOf({ port }: Pick<GrpcRequest, "port">): number | null {
  const number = typeof port === "number" ? port : /^\s*\d{1,5}\s*$/.test(port) ? Number(port) : 0;
  return number >= 1 && number <= 65_535 ? number : null;
}

/** The service and the method; the method may bring its service along: `shop.Orders/Get`. Both are empty where they are missing. */
export function calledMethod({ service, method }: Called): { service: string; method: string } {
  const [before, after] = splitAt((method ?? "").trim().replace(/^\//, ""), "/");
  if (after === null) return { service: plainService(service), method: before };
  return { service: plainService(service) || before, method: after };
}

/** `package.Service/Method` of what is called, whether it is there or not. */
export function grpcMethodName(config: Called): string {
  if (config.mode === "HEALTH") return "grpc.health.v1.Health/Check";
  const { service, method } = calledMethod(config);
  return `${service}/${method}`;
}

/** Where the descriptor comes from: what is said, else the file where one is given. */
export function usesProtoFile({ serviceDefinition, protoContent }: Pick<GrpcConfig, "serviceDefinition" | "protoContent">): boolean {
  return serviceDefinition === "PROTO_FILE" || (serviceDefinition !== "REFLECTION" && (protoContent ?? "").trim() !== "");
}

type GrpcConfig = GrpcRequest["grpcConfig"];
type Called = { readonly [Name in "mode" | "service" | "method"]?: GrpcConfig[Name] | undefined };

function plainService(service: string | null | undefined): string {
  return (service ?? "").trim().replace(/^\./, "");
}

function splitAt(text: string, separator: string): [string, string | null] {
  const at = text.lastIndexOf(separator);
  return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

function hostProblem(url: string): string | null {
  if (url.includes("://")) return "must be a name or an address alone, without a scheme";
  return /[\s/?#@]/.test(url) ? "must be a name or an address alone, without a path" : null;
}

/** gRPC over HTTP/2: what the protocol itself sends (doc/PROTOCOL-HTTP2.md), and what HTTP/2 forbids (RFC 9113 §8.2.2). */
const reservedKeys: ReadonlySet<string> = new Set([
  "te",
  "content-type",
  "content-length",
  "host",
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
]);

function keyProblem(key: string): string | null {
  const name = key.toLowerCase();
  if (!/^[0-9a-z_.-]+$/.test(name)) return "must hold only letters, digits, _, - and .";
  return reservedKeys.has(name) || name.startsWith("grpc-") ? `is reserved: gRPC itself sets ${name}` : null;
}

function valueProblem(key: string, value: string): string | null {
  if (key.toLowerCase().endsWith("-bin")) return /^[A-Za-z0-9+/]*={0,2}$/.test(value) ? null : "must be base64, as the key ends in -bin";
  return /^[\x20-\x7e]*$/.test(value) ? null : "must hold printable ASCII only; a key that ends in -bin takes base64";
}

const typeName = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/;

function* callProblems(config: GrpcConfig): Generator<readonly [string, string, string | null]> {
  const { service, method } = calledMethod(config);
  yield ["service", config.service ?? "", serviceProblem(service)];
  yield ["method", method, methodProblem(method)];
  if (config.encoding === "FLATBUFFERS") yield ["encoding", "", "FLATBUFFERS is kept but not run; use PROTOBUF"];
  const file = config.protoContent ?? "";
  if (usesProtoFile(config) && file.trim() === "") yield ["protoContent", file, "is required where serviceDefinition is PROTO_FILE"];
  const message = config.message ?? "";
  if (message.trim() !== "" && !isJsonObject(message)) yield ["message", message, "must be a JSON object"];
}

function serviceProblem(service: string): string | null {
  if (service === "") return "is required: the full name of the service, such as shop.v1.Orders";
  return typeName.test(service) ? null : "must be the full name of a service, such as shop.v1.Orders";
}

function methodProblem(method: string): string | null {
  if (method === "") return "is required: the name of the method that is called";
  return /^[A-Za-z_]\w*$/.test(method) ? null : "must be the name of a method, such as Get";
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
