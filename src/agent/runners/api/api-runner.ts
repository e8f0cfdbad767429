import type { ApiRequest } from "#contract/checks/api.ts";
import { certificateForHost } from "#domain/certificate-for-host.ts";
import { createTrustWithCertificates, type TrustWithCertificate } from "../../net/client-identities.ts";
import { newDialTrace, peerName } from "../../net/connection.ts";
import { type DialContext, dial } from "../../net/dial.ts";
import { type Answer, exchange } from "../../net/http-exchange.ts";
import { Inbox } from "../../net/inbox.ts";
import { dialThrough, type Proxy, parseProxy, proxyAuthFailure } from "../../net/proxy.ts";
import { StepWatch } from "../../net/step-watch.ts";
import type { TlsDemand, Trust } from "../../net/tls.ts";
import type { CheckRunner, RunContext } from "../check-runner.ts";
import { failureOf } from "../failure.ts";
import { type Attempt, answered, failed } from "./observation.ts";
import { type OutgoingRequest, outgoingRequest, wireRequest } from "./outgoing-request.ts";
import type { HopTrace } from "./phases.ts";
import { followRedirect, isRedirect } from "./redirect.ts";

/**
 * Sends one HTTP request on a fresh connection, follows its redirects, and reports what it saw. A status of any kind is
 * an answer. A run whose own deadline passed is a failure (ETIMEDOUT) with the phases that it reached; any other abort
 * is thrown.
 *
 * @param trust from `createTrust`, shared by all runs
 */
export function createApiRunner(trust: Trust): CheckRunner<"API"> {
  const trusts = { trust, withCertificate: createTrustWithCertificates() };
  return {
    async run({ request }, context) {
      const attempt: Attempt = { request, startedMs: context.monotonicMs(), hops: [], redirects: [], sent: null, dialled: null };
      const watch = new StepWatch(context.signal);
      try {
        return answered(attempt, await new ApiExchange(attempt, trusts, context, watch).run());
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

interface Trusts {
  readonly trust: Trust;
  readonly withCertificate: TrustWithCertificate;
}

/** The hops of one attempt, one after another. */
class ApiExchange {
  readonly #attempt: Attempt;
  readonly #settings: ApiRequest;
  readonly #trusts: Trusts;
  readonly #context: RunContext;
  readonly #dialContext: DialContext;
  #proxy: Proxy | null = null;

  constructor(attempt: Attempt, trusts: Trusts, context: RunContext, watch: StepWatch) {
    this.#attempt = attempt;
    this.#settings = attempt.request;
    this.#trusts = trusts;
    this.#context = context;
    this.#dialContext = { resolver: context.resolver, egress: context.egress, monotonicMs: context.monotonicMs, watch };
  }

  async run(): Promise<Answer> {
    const { redirects, startedMs } = this.#attempt;
    this.#proxy = this.#context.proxyUrl === null ? null : parseProxy(this.#context.proxyUrl);
    let request = outgoingRequest(this.#settings);
    let startMs = startedMs;
    const visited: string[] = [];
    for (;;) {
      const hop = newHop(startMs, request.url.protocol === "https:");
      this.#attempt.hops.push(hop);
      const answer = await this.#hop(request, hop);
      const location = answer.headers["location"];
      if (answer.body !== null || location === undefined) return answer;
      redirects.push({ status: answer.status, location });
      visited.push(request.url.href);
      startMs = hop.endMs ?? startMs;
      request = followRedirect(request, answer.status, location, visited);
    }
  }

  async #hop(request: OutgoingRequest, hop: HopTrace): Promise<Answer> {
    const { url } = request;
    const proxy = this.#proxy;
    const wire = wireRequest(request, this.#context.userAgent, proxy, traceparentOf(this.#context, url));
    this.#attempt.sent ??= wire;
    const host = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
    const inbox = new Inbox();
    const target = {
      inbox,
      host,
      port: url.port === "" ? (hop.secure ? 443 : 80) : Number(url.port),
      ipFamily: this.#settings.ipFamily,
      tls: hop.secure ? this.#tlsFor(host) : null,
    };
    if (proxy === null) this.#attempt.dialled = target;
    const socket =
      proxy === null
        ? await dial(target, this.#dialContext, hop)
        : await dialThrough(proxy, target, this.#trusts.trust(), this.#dialContext, hop);
    const { connection } = hop;
    const answer = await exchange(
      socket,
      inbox,
      wire,
      {
        monotonicMs: this.#context.monotonicMs,
        watch: this.#dialContext.watch,
        bodyMemory: this.#context.bodyMemory,
        peer: connection === null ? host : peerName(connection.remoteAddress, connection.remotePort),
        wantsBody: (status, headers) => !(this.#settings.followRedirects && isRedirect(status, headers["location"])),
      },
      hop,
    );
    if (proxy !== null && !hop.secure && answer.status === 407) throw proxyAuthFailure();
    return answer;
  }

  /** A certificate is shown to its own hosts only, and what it trusts holds for them alone. */
  #tlsFor(host: string): TlsDemand {
    const { trust, withCertificate } = this.#trusts;
    const certificate = certificateForHost(this.#context.certificates ?? [], host);
    const context = certificate === null ? trust() : withCertificate(trust(), certificate);
    return { context, acceptsUntrusted: this.#settings.skipSSL };
  }
}

function traceparentOf({ traceparentFor }: RunContext, url: URL): string | null {
  return traceparentFor?.(url.hostname) ?? null;
}

function newHop(startMs: number, secure: boolean): HopTrace {
  return { ...newDialTrace(), startMs, secure, responseMs: null, endMs: null, statusCode: null };
}
