import { type DescMessage, fromJson, type Registry } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { registryOf } from "./file-registry.ts";

/** `grpc.health.v1.Health` (grpc-proto, health.proto), as far as `Check` needs it. */
const health = {
  name: "grpc/health/v1/health.proto",
  package: "grpc.health.v1",
  syntax: "proto3",
  messageType: [
    { name: "HealthCheckRequest", field: [text("service", 1)] },
    {
      name: "HealthCheckResponse",
      field: [
        {
          name: "status",
          number: 1,
          label: "LABEL_OPTIONAL",
          type: "TYPE_ENUM",
          typeName: ".grpc.health.v1.HealthCheckResponse.ServingStatus",
        },
      ],
      enumType: [
        {
          name: "ServingStatus",
          value: [
            { name: "UNKNOWN", number: 0 },
            { name: "SERVING", number: 1 },
            { name: "NOT_SERVING", number: 2 },
            { name: "SERVICE_UNKNOWN", number: 3 },
          ],
        },
      ],
    },
  ],
};

/** The messages of `ServerReflection` (grpc-proto, reflection.proto), alike in v1 and v1alpha, as far as we ask. */
const reflection = {
  name: "outpost/reflection.proto",
  package: "outpost",
  syntax: "proto3",
  messageType: [
    { name: "Request", field: [text("host", 1), text("file_by_filename", 3), text("file_containing_symbol", 4)] },
    {
      name: "Response",
      field: [message("file_descriptor_response", 4, "Files"), message("error_response", 7, "Refusal")],
    },
    { name: "Files", field: [{ name: "file_descriptor_proto", number: 1, label: "LABEL_REPEATED", type: "TYPE_BYTES" }] },
    { name: "Refusal", field: [{ name: "error_code", number: 1, label: "LABEL_OPTIONAL", type: "TYPE_INT32" }, text("error_message", 2)] },
  ],
};

function text(name: string, number: number) {
  return { name, number, label: "LABEL_OPTIONAL", type: "TYPE_STRING" };
}

function message(name: string, number: number, type: string) {
  return { name, number, label: "LABEL_OPTIONAL", type: "TYPE_MESSAGE", typeName: `.outpost.${type}` };
}

interface StandardMessages {
  readonly registry: Registry;
  readonly healthRequest: DescMessage;
  readonly healthResponse: DescMessage;
  readonly reflectionRequest: DescMessage;
  readonly reflectionResponse: DescMessage;
}

let made: StandardMessages | undefined;

/** Made with the first call: most agents run no gRPC monitor. */
export function standardMessages(): StandardMessages {
  if (made !== undefined) return made;
  const registry = registryOf(new Map([health, reflection].map((one) => [one.name, fromJson(FileDescriptorProtoSchema, one)])));
  const named = (name: string): DescMessage => {
    const found = registry.getMessage(name);
    if (found === undefined) throw new Error(`no message ${name}`); // a bug
    return found;
  };
  made = {
    registry,
    healthRequest: named("grpc.health.v1.HealthCheckRequest"),
    healthResponse: named("grpc.health.v1.HealthCheckResponse"),
    reflectionRequest: named("outpost.Request"),
    reflectionResponse: named("outpost.Response"),
  };
  return made;
}
