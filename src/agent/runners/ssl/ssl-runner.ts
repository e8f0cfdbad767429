import { dialledPeer, newDialTrace } from "../../net/connection.ts";
import { type DialContext, dial } from "../../net/dial.ts";
import { startTls } from "../../net/start-tls.ts";
import { StepWatch } from "../../net/step-watch.ts";
import { targetHost } from "../../net/target-host.ts";
import type { Trust } from "../../net/tls.ts";
import type { CheckRunner } from "../check-runner.ts";
import { failureOf } from "../failure.ts";
import { examine, rootsOf } from "./examination.ts";
import { type Attempt, failed, seen } from "./observation.ts";

/**
 * Makes a handshake, in the clear first where `startTls` says so, and tells everything that it showed. An expired, untrusted
 * or wrong certificate is an observation; a failure is only where no handshake came about. Goes direct, never through the
 * location's proxy.
 *
 * @param trust from `createTrust`, shared by all runs
 */
export function createSslRunner(trust: Trust): CheckRunner<"SSL"> {
  return {
    async run({ request }, context) {
      const { sslConfig } = request;
      const host = targetHost(sslConfig.hostname);
      const attempt: Attempt = {
        config: sslConfig,
        host,
        serverName: targetHost(sslConfig.serverName || host).replace(/\.$/, ""),
        startedMs: context.monotonicMs(),
        trace: newDialTrace(),
        startTlsMs: null,
      };
      const watch = new StepWatch(context.signal);
      try {
        const trusted = trust();
        const sighting = await sight(attempt, trusted, { ...context, watch });
        return seen(attempt, sighting, rootsOf(trusted), Date.now(), context.monotonicMs());
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

async function sight(attempt: Attempt, trust: ReturnType<Trust>, context: DialContext): Promise<Awaited<ReturnType<typeof examine>>> {
  const { config, host, serverName, trace } = attempt;
  const { port, ipFamily, startTls: protocol, handshakeTimeoutMs: limitMs } = config;
  const socket = await dial({ host, port, ipFamily, tls: null }, context, trace);
  if (protocol !== null) await startTls(socket, protocol, dialledPeer(trace, host, port), context);
  attempt.startTlsMs = protocol === null ? trace.connectMs : context.monotonicMs();
  return examine(socket, { serverName, port, startTls: protocol, limitMs }, trust, context, trace);
}
