import { z } from "zod";
import { secretField } from "../secret-fields.ts";
import { withDefaults } from "../with-defaults.ts";
import { assertionSchema, comparisons, EvaluatedAssertions, maxAssertions } from "./assertion.ts";
import { checkSchemas, responseTimeLimits, timedSettings } from "./check-schemas.ts";
import { type CheckTraits, probeTraits } from "./check-traits.ts";
import { ConnectionFacts } from "./connection.ts";

/** One assertion of a gRPC monitor (behaviour 2.1). */
export const GrpcAssertion = assertionSchema(
  "GrpcAssertion",
  ["RESPONSE_TIME", "GRPC_RESPONSE", "TEXT_BODY", "GRPC_METADATA", "GRPC_HEALTHCHECK_STATUS", "GRPC_STATUS_CODE"],
  comparisons,
);
export type GrpcAssertion = z.output<typeof GrpcAssertion>;

const Name = z.string().max(1000).nullable();
const Text = z.string().max(262_144).nullable();
const configFields = {
  mode: z.enum(["BEHAVIOR", "HEALTH"]),
  tls: z.boolean(),
  metadata: z
    .array(z.object({ key: z.string().min(1).max(256), value: secretField("sealed, readable by a setting", z.string().max(8192)) }))
    .max(50),
  service: Name,
  encoding: z.enum(["PROTOBUF", "FLATBUFFERS", ""]).nullable(),
  bfbsContent: Text,
  serviceDefinition: z.enum(["REFLECTION", "PROTO_FILE", ""]).nullable(),
  method: Name,
  protoContent: Text,
  message: Text,
};
const configDefaults = {
  mode: "BEHAVIOR" as const,
  tls: true,
  metadata: [] as { key: string; value: string }[],
  service: null,
  encoding: null,
  bfbsContent: null,
  serviceDefinition: null,
  method: null,
  protoContent: null,
  message: null,
};

/** A run lasts as long as its check says, beyond the 30 s of other types. */
export const maxGrpcTimeoutSeconds = 300;

const requestFields = {
  url: z.string().min(1).max(2048).describe("name or address"),
  port: z.union([z.int().min(1).max(65_535), z.string().max(255)]).describe("a number, or a template that yields one"),
  ipFamily: z.enum(["IPv4", "IPv6"]).nullable(),
  skipSSL: z.boolean().describe("relaxes trust only"),
  timeout: z.int().min(1).max(maxGrpcTimeoutSeconds).nullable().describe("seconds; null: 30"),
  assertions: z.array(GrpcAssertion).max(maxAssertions),
};
const defaults = { port: 443, ipFamily: null, skipSSL: false, timeout: null, assertions: [] };

/** The call that a gRPC monitor makes (reference). */
export const GrpcRequest = z
  .object({
    ...withDefaults(requestFields, defaults),
    grpcConfig: z.object(withDefaults(configFields, configDefaults)).prefault({}).meta({ id: "GrpcConfig" }),
  })
  .meta({ id: "GrpcRequest" });
export type GrpcRequest = z.output<typeof GrpcRequest>;

/** What a runner needs to know of a gRPC monitor, and what the verdict is judged by. */
export const GrpcCheckSettings = z.object({ request: GrpcRequest, ...timedSettings });
export type GrpcCheckSettings = z.output<typeof GrpcCheckSettings>;

/** The schemas of gRPC monitors (reference). */
export const grpcCheck = checkSchemas("GRPC", {
  id: "GrpcCheck",
  title: "gRPC monitor",
  writable: responseTimeLimits(30_000),
  defaults: { degradedResponseTime: null, maxResponseTime: null },
  request: GrpcRequest,
  requestUpdate: z
    .object({ ...requestFields, grpcConfig: z.object(configFields).partial().meta({ id: "GrpcConfigUpdate" }) })
    .partial()
    .meta({ id: "GrpcRequestUpdate" }),
});

/** Lengths of the phases, ms; they sum to `total`. `reflection` is 0 where the server was not asked for its descriptors. */
export const GrpcTimingPhases = z.object({
  dns: z.number(),
  tcp: z.number(),
  tls: z.number(),
  reflection: z.number(),
  firstByte: z.number(),
  download: z.number(),
  total: z.number(),
});

/** One entry of the metadata that came. */
export const GrpcMetadataEntry = z.object({
  key: z.string().max(1000),
  value: z.string().max(16_384).describe("base64 where the key ends in -bin"),
  trailer: z.boolean().describe("whether it came after the message"),
});
export type GrpcMetadataEntry = z.infer<typeof GrpcMetadataEntry>;

const healthStatus = z.number().int().nullable().describe("0 UNKNOWN, 1 SERVING, 2 NOT_SERVING, 3 SERVICE_UNKNOWN; null in mode BEHAVIOR");

/** `grpcCheckResult`: what one attempt of a gRPC monitor saw (reference). `connection` and what has a description are ours. */
export const GrpcCheckResult = z
  .object({
    grpcStatusCode: z.number().int().optional(),
    healthStatus: healthStatus.optional(),
    timingPhases: GrpcTimingPhases.nullable(),
    request: z.object({
      url: z.string(),
      port: z.union([z.number().int(), z.string()]),
      ipFamily: z.enum(["IPv4", "IPv6"]).nullable(),
      tls: z.boolean(),
      mode: z.enum(["BEHAVIOR", "HEALTH"]),
      service: z.string().nullable(),
      method: z.string().nullable(),
      message: z.string().max(20_000).nullable().describe("the first 16 KB"),
      metadata: z.array(z.string()).max(50).describe("the keys that were sent; their values may be secrets"),
    }),
    response: z
      .object({
        grpcMode: z.enum(["BEHAVIOR", "HEALTH"]),
        host: z.string(),
        resolvedIp: z.string(),
        port: z.number().int(),
        grpcMethod: z.string().describe("package.Service/Method"),
        responseMessage: z.string().max(400_000).describe("the message as JSON, its first 256 KB; empty where none came"),
        truncated: z.boolean().describe("whether the message is longer than what is stored"),
        messageBytes: z.number().int().describe("as protobuf, after decompression"),
        grpcStatusCode: z.number().int(),
        grpcStatusName: z.string().describe("OK, UNAVAILABLE …; UNKNOWN for a number that gRPC does not know"),
        grpcStatusMessage: z.string().max(8192),
        healthStatus,
        healthStatusLabel: z.string().describe("empty in mode BEHAVIOR"),
        metadata: z.array(GrpcMetadataEntry).max(200),
        discoveredMethods: z.array(z.string().max(2100)).max(100).nullable().describe("of the service; null without reflection"),
        timingPhases: GrpcTimingPhases,
        requestError: z.string().nullable().optional().describe("never there: what went wrong with the request stands beside the response"),
      })
      .nullable(),
    connection: ConnectionFacts.nullable().describe("how far the dial came, also on failures"),
    assertions: EvaluatedAssertions,
    requestError: z.string().nullable(),
  })
  .meta({ id: "GrpcCheckResult" });
export type GrpcCheckResult = z.infer<typeof GrpcCheckResult>;

export const grpcTraits = { ...probeTraits, fillsTemplates: true, certificateUrl } as const satisfies CheckTraits;

/** @param settings parsed with their schema */
function certificateUrl(settings: unknown): string | null {
  const { url, grpcConfig } = (settings as GrpcCheckSettings).request;
  if (!grpcConfig.tls) return null;
  return `https://${url.includes(":") && !url.includes("[") ? `[${url}]` : url}/`;
}
