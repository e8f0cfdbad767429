import { GrpcAssertion } from "#contract/checks/grpc.ts";
import type { CheckTypeInConsole } from "../check-type.ts";
import { assertionChoices } from "../shared/assertion-choices.ts";
import { grpcFields } from "./fields.ts";

export const grpc: CheckTypeInConsole<"GRPC"> = {
  form: {
    fields: grpcFields,
    start: { request: { url: "", port: 443, grpcConfig: { mode: "BEHAVIOR", tls: true, serviceDefinition: "REFLECTION" } } },
    assertions: assertionChoices(GrpcAssertion),
  },
  measures: null,
  subject: () => "",
  details: null,
};
