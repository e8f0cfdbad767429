import type { Socket } from "node:net";
import type { StartTls } from "#contract/checks/connection.ts";
import type { TcpCheckSettings, TcpRequest } from "#contract/checks/tcp.ts";
import { dialledPeer } from "../../net/connection.ts";
import { type DialContext, dial } from "../../net/dial.ts";
import { Inbox } from "../../net/inbox.ts";
import { startTls } from "../../net/start-tls.ts";
import { StepWatch } from "../../net/step-watch.ts";
import { secure, type TlsDemand, type Trust } from "../../net/tls.ts";
import type { CheckRunner } from "../check-runner.ts";
import { failureOf } from "../failure.ts";
import { readAnswer } from "./answer-reader.ts";
import { Expectation } from "./expectation.ts";
import { type Attempt, newAttempt, observationOf } from "./observation.ts";

/** An answer may take what the check may take, within these (ms). */
const [shortestAnswerMs, longestAnswerMs] = [1_000, 10_000];

/**
 * Connects, turns to TLS where asked (`startTls` wins over `tls`), sends `data` as it is, and reads where something is
 * asked: `data`, `expect` or an assertion on RESPONSE_DATA. Goes direct, never through the location's proxy, which speaks
 * HTTP. What came is told also where it is not what was expected.
 *
 * @param trust from `createTrust`, shared by all runs
 */
export function createTcpRunner(trust: Trust): CheckRunner<"TCP"> {
  return {
    async run(settings, context) {
      const attempt = newAttempt(settings.request, context.monotonicMs());
      const watch = new StepWatch(context.signal);
      try {
        await converse(attempt, settings, trust, { ...context, watch });
        return observationOf(attempt, attempt.answer?.failure ?? null, context.monotonicMs());
      } catch (error) {
        const failure = failureOf(error, context.signal);
        if (failure === null) throw error;
        return observationOf(attempt, failure, context.monotonicMs());
      } finally {
        attempt.socket?.destroy();
        watch.close();
      }
    },
  };
}

async function converse(attempt: Attempt, settings: TcpCheckSettings, trust: Trust, context: DialContext): Promise<void> {
  const { request } = settings;
  const expectation = request.expect === null ? null : new Expectation(request.expect);
  const inbox = new Inbox();
  const socket = await connected(attempt, inbox, trust, context);
  attempt.socket = socket;
  attempt.connectedMs = context.monotonicMs();
  if (!asksForAnswer(request)) return;
  const limitMs = Math.max(shortestAnswerMs, Math.min(settings.maxResponseTime ?? longestAnswerMs, longestAnswerMs));
  attempt.answer = await readAnswer(socket, inbox, { data: request.data, expectation, limitMs, peer: peerOf(attempt) }, context);
}

async function connected(attempt: Attempt, inbox: Inbox, trust: Trust, context: DialContext): Promise<Socket> {
  const { request, host, trace } = attempt;
  const { port, ipFamily } = request;
  const tls = { context: trust(), acceptsUntrusted: request.skipSSL, alpn: alpnOf(request.startTls) } satisfies TlsDemand;
  if (request.startTls === null) return dial({ host, port, ipFamily, tls: request.tls ? tls : null, inbox }, context, trace);
  const socket = await dial({ host, port, ipFamily, tls: null }, context, trace);
  await startTls(socket, request.startTls, peerOf(attempt), context);
  return secure(socket, host, tls, context, trace);
}

/** PostgreSQL 17 refuses any other; servers of unknown protocols might too. */
function alpnOf(protocol: StartTls | null): readonly string[] {
  return protocol === "postgres" ? ["postgresql"] : [];
}

function asksForAnswer({ data, expect, assertions }: TcpRequest): boolean {
  return data !== null || expect !== null || assertions.some(({ source }) => source === "RESPONSE_DATA");
}

function peerOf({ host, request, trace }: Attempt): string {
  return dialledPeer(trace, host, request.port);
}
