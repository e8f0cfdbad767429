import { TLSSocket } from "node:tls";
import type { GrpcRequest } from "#contract/checks/grpc.ts";
import { certificateForHost } from "#domain/certificate-for-host.ts";
import type { TrustWithCertificate } from "../../net/client-identities.ts";
import { dialledPeer, peerName } from "../../net/connection.ts";
import { type DialContext, dial } from "../../net/dial.ts";
import { ProbeError } from "../../net/probe-error.ts";
import { dialThrough, parseProxy } from "../../net/proxy.ts";
import type { TlsDemand, Trust } from "../../net/tls.ts";
import type { RunContext } from "../check-runner.ts";
import { CallSession } from "./call-session.ts";
import type { Attempt } from "./observation.ts";

/** What is trusted, and with which certificate of ours. */
export interface Trusts {
  readonly trust: Trust;
  readonly withCertificate: TrustWithCertificate;
}

/**
 * Dials the target, by a tunnel where the location has a proxy, and speaks HTTP/2 with it.
 *
 * @throws {ProbeError} EALPN where TLS did not agree on HTTP/2; what a dial can come to
 */
export async function connectTo(attempt: Attempt, trusts: Trusts, run: RunContext, context: DialContext): Promise<CallSession> {
  const { host, port, trace, request } = attempt;
  const { tls } = request.grpcConfig;
  const target = { host, port, ipFamily: request.ipFamily ?? "IPv4", tls: tls ? tlsFor(host, request, trusts, run) : null } as const;
  const proxy = run.proxyUrl === null ? null : parseProxy(run.proxyUrl);
  attempt.isProxied = proxy !== null;
  const socket =
    proxy === null ? await dial(target, context, trace) : await dialThrough(proxy, target, trusts.trust(), context, trace, true);
  const peer = dialledPeer(trace, host, port);
  if (socket instanceof TLSSocket && tls && socket.alpnProtocol !== "h2") {
    socket.destroy();
    throw new ProbeError("EALPN", `${peer} did not agree on HTTP/2 in the TLS handshake (ALPN h2), which gRPC needs`);
  }
  return new CallSession(socket, `${tls ? "https" : "http"}://${peerName(host, port)}`, peer);
}

/** A certificate is shown to its own hosts only, and what it trusts holds for them alone. */
function tlsFor(host: string, { skipSSL }: GrpcRequest, { trust, withCertificate }: Trusts, { certificates }: RunContext): TlsDemand {
  const certificate = certificateForHost(certificates ?? [], host);
  const context = certificate === null ? trust() : withCertificate(trust(), certificate);
  return { context, acceptsUntrusted: skipSSL, alpn: ["h2"] };
}
