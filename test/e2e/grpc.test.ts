import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CheckResult } from "../../src/contract/check-results.ts";
import { answer, fileBytes, http2Server, ok, order, reflectionAnswer, shopFile } from "../agent/runners/grpc/grpc-server.ts";
import { shopProto } from "../agent/runners/grpc/shop-proto.ts";
import { type Certificates, makeCertificates } from "../support/certificates.ts";
import { findSecret } from "../support/find-secret.ts";
import { httpServer } from "../support/http-servers/http-server.ts";
import type { RawServer } from "../support/http-servers/raw-server.ts";
import { expectNothingLost } from "../support/oracle.ts";
import { until } from "../support/processes.ts";
import { type AgentProcess, Site } from "../support/site.ts";

const token = "grpc-token-8f2b61c4";

/** Orders with reflection and health; tells in its metadata and its message who asked. */
function serve(stream: ServerHttp2Stream, { ":path": path, authorization = "" }: IncomingHttpHeaders, message: Buffer): void {
  if (path === "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo") {
    stream.respond({ ":status": 200, "content-type": "application/grpc" });
    return void stream.write(reflectionAnswer([fileBytes(shopFile())]));
  }
  if (path === "/grpc.health.v1.Health/Check")
    return answer(stream, Buffer.from([0, 0, 0, 0, 2, 8, message.includes("shop.v1.Orders") ? 1 : 2]), ok);
  if (message.includes("gone")) return answer(stream, null, { "grpc-status": "5", "grpc-message": "no such order" });
  answer(stream, order({ id: "42", notes: [authorization] }), ok, { "x-asked-by": authorization, authorization });
}

describe("gRPC monitors, from REST to their results", () => {
  const made = new AsyncDisposableStack();
  const told: string[] = [];
  let certificates: Certificates;
  let [plain, secure, mutual]: (RawServer | undefined)[] = [];
  let site: Site;
  let agent: AgentProcess;

  beforeAll(async () => {
    certificates = made.use(makeCertificates());
    const tls = { ...certificates.pair("good"), ca: certificates.ca };
    plain = made.use(await http2Server(serve));
    secure = made.use(await http2Server(serve, { tls }));
    mutual = made.use(await http2Server(serve, { tls: { ...tls, requestCert: true, rejectUnauthorized: true } }));
    const receiver = made.use(
      await httpServer((request, response) => {
        request.setEncoding("utf8").on("data", (part: string) => told.push(part));
        request.on("end", () => response.end());
      }),
    );
    site = made.use(await Site.start());
    const config = { name: "receiver", url: receiver.url, method: "POST", template: "{{ALERT_TYPE}} {{CHECK_ERROR_MESSAGE}}" };
    await site.api("POST", "/v1/alert-channels", { type: "WEBHOOK", config });
    await site.api("POST", "/v1/variables", { key: "SHOP_TOKEN", value: token, secret: true });
    await site.api("POST", "/v1/variables", { key: "METHOD", value: "Get" });
    agent = await site.agent(await site.location("here"), { NODE_EXTRA_CA_CERTS: `${certificates.folder}/ca.pem` }).ready();
  }, 120_000);
  afterAll(() => made.disposeAsync());

  const orders = { service: "shop.v1.Orders", method: "Get", message: '{"id": "42"}' };

  async function run(server: RawServer | undefined, grpcConfig: object, more: object = {}): Promise<CheckResult> {
    const request = { url: "localhost", port: server?.port, grpcConfig, ...more };
    const body = { name: "orders", privateLocations: ["here"], frequency: 1440, retryStrategy: null, request };
    const { id } = await site.api<{ id: string }>("POST", "/v1/checks/grpc", body);
    const [session] = await site.trigger(id);
    if (session === undefined) throw new Error("nothing was triggered");
    await site.ended(session);
    await expectNothingLost(site, { sessions: [session] });
    const [result] = await site.results(id, "FINAL");
    if (result === undefined) throw new Error("there is no result");
    return result;
  }

  it("call by reflection in the clear, and assert on message, metadata and status", async () => {
    const assertions = [
      { source: "GRPC_RESPONSE", property: "$.id", comparison: "EQUALS", target: "42" },
      { source: "GRPC_STATUS_CODE", comparison: "EQUALS", target: "0" },
      { source: "GRPC_METADATA", property: "x-asked-by", comparison: "EQUALS", target: "me" },
    ];
    const metadata = [{ key: "authorization", value: "me" }];
    const result = await run(plain, { ...orders, tls: false, serviceDefinition: "REFLECTION", metadata }, { assertions });
    expect([result.errorMessage, result.hasFailures]).toEqual([null, false]);
    expect(result.grpcCheckResult?.response).toMatchObject({
      grpcStatusName: "OK",
      discoveredMethods: expect.arrayContaining(["shop.v1.Orders/Get"]),
    });
    const figures = await site.api<{ series: { data: Record<string, number>[] }[] }>(
      "GET",
      `/v1/analytics/grpc-checks/${result.checkId}?metrics=availability,reflection_max`,
    );
    expect(figures.series[0]?.data[0]).toMatchObject({ availability: 100, reflection_max: expect.any(Number) });
  });

  it("call over TLS of a private authority by a proto file, filled from variables, and tell no secret", async () => {
    const metadata = [
      { key: "authorization", value: "Bearer {{SHOP_TOKEN}}" },
      { key: "tenant", value: token },
    ];
    const call = { ...orders, method: "{{METHOD}}", serviceDefinition: "PROTO_FILE", protoContent: shopProto, metadata };
    const result = await run(secure, call);
    expect([result.errorMessage, result.grpcCheckResult?.response?.grpcMethod]).toEqual([null, "shop.v1.Orders/Get"]);
    expect(result.grpcCheckResult?.connection?.tls?.authorized).toBe(true);
    expect(result.grpcCheckResult?.request.metadata).toEqual(["authorization", "tenant"]);
    expect(result.grpcCheckResult?.response?.responseMessage).toContain('"notes":["********"]');
    expect(result.grpcCheckResult?.response?.metadata).toContainEqual({ key: "authorization", value: "********", trailer: false });
    for (const text of [JSON.stringify(result), agent.stderr, site.controlPlane.stderr])
      expect(findSecret(Buffer.from(text), token)).toEqual([]);
  });

  it("show a client certificate of the account to its host", async () => {
    const call = { ...orders, serviceDefinition: "REFLECTION" };
    const refused = /^(EPROTO|ECONNRESET)/; // TLS 1.3: an alert, or the reset that overtakes it
    expect((await run(mutual, call)).errorMessage).toMatch(refused);
    const { cert, key } = certificates.pair("good");
    await site.api("POST", "/v1/client-certificates", { host: "localhost", cert, key, ca: certificates.ca });
    expect((await run(mutual, call)).errorMessage).toBeNull();
    expect((await run(mutual, call, { url: "127.0.0.1" })).errorMessage).toMatch(refused);
  });

  it("ask for the health of a service", async () => {
    const good = await run(plain, { mode: "HEALTH", service: "shop.v1.Orders", tls: false });
    expect([good.errorMessage, good.grpcCheckResult?.healthStatus]).toEqual([null, 1]);
    const bad = await run(plain, { mode: "HEALTH", tls: false });
    expect([bad.hasFailures, bad.errorMessage]).toEqual([true, "expected the health status SERVING, got NOT_SERVING (2)"]);
  });

  it("fail with the status and its words, and so does the alert", async () => {
    const result = await run(plain, { ...orders, tls: false, message: '{"id": "gone"}' });
    const words = "expected the gRPC status OK, got NOT_FOUND (5): no such order";
    expect([result.hasFailures, result.hasErrors, result.errorMessage]).toEqual([true, false, words]);
    await until("the alert", () => told.some((text) => text.includes("ALERT_FAILURE") && text.includes(words)));
  });

  it("wait no longer than their timeout says", async () => {
    await using silent = await http2Server(() => undefined);
    const result = await run(silent, { ...orders, tls: false, protoContent: shopProto }, { timeout: 1 });
    expect(result.errorMessage).toMatch(/^ETIMEDOUT: the call was not done within its timeout of 1000 ms/);
  });
});
