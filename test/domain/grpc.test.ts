import { describe, expect, it } from "vitest";
import { GrpcRequest } from "#contract/checks/grpc.ts";
import { grpcFindings } from "../../src/domain/grpc-findings.ts";
import { calledMethod, grpcRequestProblems, portOf, usesProtoFile } from "../../src/domain/grpc-request.ts";

const call = { service: "shop.v1.Orders", method: "Get" };
const requestOf = (more: object, config: object = {}) =>
  GrpcRequest.parse({ url: "shop.example", ...more, grpcConfig: { ...call, ...config } });

describe("grpcRequestProblems", () => {
  it("finds nothing in a request that can be made", () => {
    const config = { message: '{"id":"1"}', metadata: [{ key: "x-tenant", value: "shop" }], serviceDefinition: "REFLECTION" };
    expect(grpcRequestProblems(requestOf({}, config), { mayHoldTemplates: false })).toEqual([]);
    expect(grpcRequestProblems(requestOf({}, { mode: "HEALTH", service: null, method: null }), { mayHoldTemplates: false })).toEqual([]);
  });

  it("names every field that is wrong", () => {
    const config = { service: "1", method: "a b", message: "[]", metadata: [{ key: "Te", value: "\u0001" }], encoding: "FLATBUFFERS" };
    const problems = grpcRequestProblems(requestOf({ url: "a/b", port: "x" }, config), { mayHoldTemplates: false });
    expect(problems.map(({ path }) => path)).toEqual([
      "request.url",
      "request.port",
      "request.grpcConfig.metadata[0].key",
      "request.grpcConfig.metadata[0].value",
      "request.grpcConfig.service",
      "request.grpcConfig.method",
      "request.grpcConfig.encoding",
      "request.grpcConfig.message",
    ]);
  });

  it("leaves templates alone until they are filled in", () => {
    const request = requestOf({ url: "{{ HOST }}", port: "{{PORT}}" }, { service: "{{S}}", message: '{"id":{{ID}}}' });
    expect(grpcRequestProblems(request, { mayHoldTemplates: true })).toEqual([]);
    expect(grpcRequestProblems(request, { mayHoldTemplates: false })).toHaveLength(4);
  });
});

it.each([
  [443, 443],
  ["8443", 8443],
  [" 80 ", 80],
  ["0", null],
  ["65536", null],
  ["8e3", null],
  ["", null],
])("reads the port %j as %j", (port, expected) => {
  expect(portOf({ port })).toBe(expected);
});

it.each([
  [
    { service: "a.B", method: "C" },
    { service: "a.B", method: "C" },
  ],
  [
    { service: null, method: "/a.B/C" },
    { service: "a.B", method: "C" },
  ],
  [
    { service: ".a.B", method: "x.Y/C" },
    { service: "a.B", method: "C" },
  ],
  [
    { service: null, method: null },
    { service: "", method: "" },
  ],
])("calls %j as %j", (config, expected) => {
  expect(calledMethod(config)).toEqual(expected);
});

it("takes a proto file where one is given, unless reflection is asked for", () => {
  expect(usesProtoFile({ serviceDefinition: null, protoContent: "x" })).toBe(true);
  expect(usesProtoFile({ serviceDefinition: "", protoContent: " " })).toBe(false);
  expect(usesProtoFile({ serviceDefinition: "REFLECTION", protoContent: "x" })).toBe(false);
  expect(usesProtoFile({ serviceDefinition: "PROTO_FILE", protoContent: null })).toBe(true);
});

describe("grpcFindings", () => {
  it.each([
    ["OK", { statusCode: 0, statusMessage: "", healthStatus: null }, [], []],
    [
      "a status",
      { statusCode: 14, statusMessage: "gone", healthStatus: null },
      [],
      ["expected the gRPC status OK, got UNAVAILABLE (14): gone"],
    ],
    [
      "a status without a name",
      { statusCode: 99, statusMessage: "", healthStatus: null },
      [],
      ["expected the gRPC status OK, got UNKNOWN (99)"],
    ],
    ["a status that an assertion judges", { statusCode: 14, statusMessage: "", healthStatus: null }, ["GRPC_STATUS_CODE"], []],
    ["SERVING", { statusCode: 0, statusMessage: "", healthStatus: 1 }, [], []],
    ["NOT_SERVING", { statusCode: 0, statusMessage: "", healthStatus: 2 }, [], ["expected the health status SERVING, got NOT_SERVING (2)"]],
    ["NOT_SERVING that an assertion judges", { statusCode: 0, statusMessage: "", healthStatus: 2 }, ["GRPC_HEALTHCHECK_STATUS"], []],
  ])("holds %s against the call as it should", (_what, seen, sources, messages) => {
    const findings = grpcFindings(
      sources.map((source) => ({ source })),
      seen,
    );
    expect(findings.map(({ message }) => message)).toEqual(messages);
  });
});
