import { z } from "zod";
import { withDefaults } from "../with-defaults.ts";
import { assertionSchema, comparisons, maxAssertions } from "./assertion.ts";
import { checkSchemas, responseTimeLimits } from "./check-schemas.ts";
import { probeTraits } from "./check-traits.ts";

/** One assertion of a gRPC monitor (behaviour 2.1). */
export const GrpcAssertion = assertionSchema(
  "GrpcAssertion",
  ["RESPONSE_TIME", "GRPC_RESPONSE", "TEXT_BODY", "GRPC_METADATA", "GRPC_HEALTHCHECK_STATUS", "GRPC_STATUS_CODE"],
  comparisons,
);

const Name = z.string().max(1000).nullable();
const Text = z.string().max(262_144).nullable();
const configFields = {
  mode: z.enum(["BEHAVIOR", "HEALTH"]),
  tls: z.boolean(),
  metadata: z.array(z.object({ key: z.string().min(1).max(256), value: z.string().max(8192) })).max(50),
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

const requestFields = {
  url: z.string().min(1).max(2048).describe("name or address"),
  port: z.union([z.int().min(1).max(65_535), z.string().max(255)]).describe("a number, or a template that yields one"),
  ipFamily: z.enum(["IPv4", "IPv6"]).nullable(),
  skipSSL: z.boolean().describe("relaxes trust only"),
  timeout: z.int().min(1).max(300).nullable().describe("seconds"),
  assertions: z.array(GrpcAssertion).max(maxAssertions),
};
const defaults = { port: 443, ipFamily: null, skipSSL: false, timeout: null, assertions: [] };

/** The schemas of gRPC monitors (reference). They are written through the forms without a type only. */
export const grpcCheck = checkSchemas("GRPC", {
  id: "GrpcCheck",
  title: "gRPC monitor",
  writable: responseTimeLimits(30_000),
  defaults: { degradedResponseTime: null, maxResponseTime: null },
  request: z
    .object({
      ...withDefaults(requestFields, defaults),
      grpcConfig: z.object(withDefaults(configFields, configDefaults)).prefault({}).meta({ id: "GrpcConfig" }),
    })
    .meta({ id: "GrpcRequest" }),
  requestUpdate: z
    .object({ ...requestFields, grpcConfig: z.object(configFields).partial().meta({ id: "GrpcConfigUpdate" }) })
    .partial()
    .meta({ id: "GrpcRequestUpdate" }),
});

export const grpcTraits = probeTraits;
