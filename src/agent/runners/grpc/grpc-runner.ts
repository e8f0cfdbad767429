import type { Registry } from "@bufbuild/protobuf";
import type { GrpcRequest } from "#contract/checks/grpc.ts";
import { BoundedCache } from "#domain/bounded-cache.ts";
import { calledMethod, grpcMethodName, grpcRequestProblems, portOf, usesProtoFile } from "#domain/grpc-request.ts";
import { createTrustWithCertificates } from "../../net/client-identities.ts";
import { newDialTrace } from "../../net/connection.ts";
import type { DialContext } from "../../net/dial.ts";
import { ProbeError } from "../../net/probe-error.ts";
import { StepWatch } from "../../net/step-watch.ts";
import { targetHost } from "../../net/target-host.ts";
import type { Trust } from "../../net/tls.ts";
import type { CheckRunner, RunContext } from "../check-runner.ts";
import { failureOf } from "../failure.ts";
import type { CallSession } from "./call-session.ts";
import { connectTo, type Trusts } from "./connect.ts";
import { Deadline } from "./deadline.ts";
import { registryOf } from "./file-registry.ts";
import { encodedRequest } from "./messages.ts";
import { findMethod, type Method, methodsOf } from "./method.ts";
import { type Answer, type Attempt, answered, failed } from "./observation.ts";
import { readProto } from "./proto-file/read-proto.ts";
import { reflect } from "./reflection.ts";
import { standardMessages } from "./standard-services.ts";
import { callUnary } from "./unary-call.ts";

/** Where the check says nothing (ms). */
const defaultTimeoutMs = 30_000;
/** What proto files declare; one of 256 KB takes up to 0.15 s to read, and a few megabytes. */
const rememberedFiles = 20;

/**
 * Makes one unary call on a fresh connection, or asks the standard health service, and reports what it saw. A status of any kind is an
 * answer. Goes through the location's proxy by a tunnel.
 *
 * @param trust from `createTrust`, shared by all runs
 */
export function createGrpcRunner(trust: Trust): CheckRunner<"GRPC"> {
  const trusts = { trust, withCertificate: createTrustWithCertificates() };
  const protoFiles = new BoundedCache(rememberedFiles, readProto);
  return {
    async run({ request }, context) {
      const attempt = newAttempt(request, context.monotonicMs());
      const limitMs = request.timeout === null ? defaultTimeoutMs : request.timeout * 1_000;
      using deadline = new Deadline(context.signal, limitMs, () => stepOf(attempt));
      const watch = new StepWatch(deadline.signal);
      try {
        const restMs = (): number => limitMs - (context.monotonicMs() - attempt.startedMs);
        const call = new GrpcCall(attempt, trusts, (text) => protoFiles.get(text), restMs, context, watch);
        return answered(attempt, await call.run());
      } catch (error) {
        const failure = failureOf(error, context.signal);
        if (failure === null) throw error;
        return failed(attempt, failure, context.monotonicMs());
      } finally {
        watch.close();
      }
    },
  };
}

function newAttempt(request: GrpcRequest, startedMs: number): Attempt {
  return {
    request,
    host: targetHost(request.url),
    port: portOf(request) ?? 0,
    startedMs,
    trace: newDialTrace(),
    reflectedMs: null,
    method: grpcMethodName(request.grpcConfig),
    discoveredMethods: null,
    isProxied: false,
  };
}

/** Where an attempt is, for the message of its deadline. */
function stepOf({ request, trace, reflectedMs }: Attempt): string {
  if (trace.lookupMs === null) return "DNS";
  if (trace.connectMs === null) return "TCP connect";
  if (request.grpcConfig.tls && trace.secureConnectMs === null) return "TLS handshake";
  return reflectedMs === null ? "reflection" : "the call was sent";
}

/** One attempt: connection, descriptors, call. */
class GrpcCall {
  readonly #attempt: Attempt;
  readonly #trusts: Trusts;
  readonly #readProto: (text: string) => Registry;
  readonly #restMs: () => number;
  readonly #run: RunContext;
  readonly #context: DialContext;

  constructor(
    attempt: Attempt,
    trusts: Trusts,
    readProtoFile: (text: string) => Registry,
    restMs: () => number,
    run: RunContext,
    watch: StepWatch,
  ) {
    this.#attempt = attempt;
    this.#trusts = trusts;
    this.#readProto = readProtoFile;
    this.#restMs = restMs;
    this.#run = run;
    this.#context = { resolver: run.resolver, egress: run.egress, monotonicMs: run.monotonicMs, watch };
  }

  async run(): Promise<Answer> {
    const { request } = this.#attempt;
    const [problem] = grpcRequestProblems(request, { mayHoldTemplates: false });
    if (problem !== undefined) throw new ProbeError("EGRPCREQUEST", `"${problem.path.replace("request.", "")}" ${problem.message}`);
    const given = this.#givenMethod(); // before anything is dialled
    const session = await connectTo(this.#attempt, this.#trusts, this.#run, this.#context);
    try {
      const securedMs = request.grpcConfig.tls ? this.#attempt.trace.secureConnectMs : this.#attempt.trace.connectMs;
      if (given !== null) this.#attempt.reflectedMs = securedMs;
      const method = given ?? (await this.#reflected(session));
      const message = this.#message(method);
      if (given === null) this.#attempt.reflectedMs = this.#run.monotonicMs();
      return await callUnary(session, { ...this.#wish(), method, message, isHealth: request.grpcConfig.mode === "HEALTH" }, this.#context);
    } finally {
      session.close();
    }
  }

  /** Null where the server is asked. */
  #givenMethod(): Method | null {
    const { grpcConfig } = this.#attempt.request;
    if (grpcConfig.mode === "HEALTH") {
      const { registry, healthRequest: input, healthResponse: output } = standardMessages();
      return { path: "/grpc.health.v1.Health/Check", input, output, registry };
    }
    if (!usesProtoFile(grpcConfig)) return null;
    const { service, method } = calledMethod(grpcConfig);
    const given = findMethod(this.#readProto(grpcConfig.protoContent ?? ""), service, method);
    this.#message(given);
    return given;
  }

  async #reflected(session: CallSession): Promise<Method> {
    const { service, method } = calledMethod(this.#attempt.request.grpcConfig);
    const { metadata, userAgent } = this.#wish();
    const registry = registryOf(await reflect(session, service, { metadata, userAgent, restMs: this.#restMs }, this.#context));
    this.#attempt.discoveredMethods = methodsOf(registry, service);
    return findMethod(registry, service, method);
  }

  #message({ input, registry }: Method): Uint8Array {
    const { mode, service, message } = this.#attempt.request.grpcConfig;
    return encodedRequest(input, mode === "HEALTH" ? JSON.stringify({ service: service ?? "" }) : (message ?? ""), registry);
  }

  #wish() {
    const { metadata } = this.#attempt.request.grpcConfig;
    return {
      metadata: metadata.map(({ key, value }) => [key.toLowerCase(), value] as const),
      userAgent: this.#run.userAgent,
      limitMs: this.#restMs(),
    };
  }
}
