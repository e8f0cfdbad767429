import { GrpcAssertion } from "#contract/checks/grpc.ts";
import { grpcMethodName } from "#domain/grpc-request.ts";
import type { CheckTypeInConsole } from "../check-type.ts";
import { assertionChoices } from "../shared/assertion-choices.ts";
import { grpcDetails } from "./details.ts";
import { grpcFields } from "./fields.ts";

export const grpc: CheckTypeInConsole<"GRPC"> = {
  form: {
    fields: grpcFields,
    start: { request: { url: "", port: 443, grpcConfig: { mode: "BEHAVIOR", tls: true, serviceDefinition: "REFLECTION" } } },
    assertions: assertionChoices(GrpcAssertion),
  },
  measures: { time: "responseTime", phases: ["dns", "tcp", "tls", "reflection", "firstByte", "download"], others: [] },
  subject: ({ request: { url, port = 443, grpcConfig = {} } }) => `${url}:${port} ${grpcMethodName(grpcConfig)}`,
  details: grpcDetails,
};
