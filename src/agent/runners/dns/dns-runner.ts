import type { DnsRequest } from "#contract/checks/dns.ts";
import { askServer, type Reply } from "../../net/dns/ask.ts";
import { askInTurn, type Tried } from "../../net/dns/ask-in-turn.ts";
import { reverseName } from "../../net/dns/domain-name.ts";
import type { NameServer } from "../../net/dns/name-server.ts";
import { typeNumber } from "../../net/dns/registry.ts";
import type { AskContext } from "../../net/dns/udp-exchange.ts";
import { ProbeError } from "../../net/probe-error.ts";
import { type ResolverSettings, resolverSettingsFile } from "../../net/resolver-settings.ts";
import type { Trust } from "../../net/tls.ts";
import type { CheckRunner, RunContext } from "../check-runner.ts";
import { failureOf } from "../failure.ts";
import { answered, failed } from "./observation.ts";
import { chosenServer, systemServers } from "./servers.ts";

/** For a question in all, every server and transport included (fault case H-07), and for one of the system's servers while others follow (ms). */
const checkLimitMs = 5_000;
const tryMs = 2_000;

/** What a question came to. */
interface Outcome {
  readonly reply: Reply;
  readonly tried: readonly Tried[];
}

/**
 * Asks one DNS question and reports the answer, whatever its code. The system's servers are asked one after another; a name
 * server of the check's own is asked alone. It is the target then, while servers of the system are on the agent's side.
 *
 * @param trust for DOT and DOH
 */
export function createDnsRunner(trust: Trust, resolvConfPath = "/etc/resolv.conf"): CheckRunner<"DNS"> {
  const settings = resolverSettingsFile(resolvConfPath);
  return {
    async run({ request }, context) {
      const attempt = { request, startedMs: context.monotonicMs() };
      try {
        const servers = await serversOf(request, settings(), trust, context);
        attempt.startedMs = context.monotonicMs();
        const { reply, tried } = await ask(request, servers, {
          signal: context.signal,
          monotonicMs: context.monotonicMs,
          isMeasured: true,
        });
        // What the only question waited for before it left is our own loop's business.
        if (tried.length === 0) attempt.startedMs = reply.startedMs;
        return answered(attempt, reply, tried);
      } catch (error) {
        const failure = failureOf(error, context.signal);
        if (failure === null) throw error;
        return failed(attempt, failure, context.monotonicMs());
      }
    },
  };
}

/** The check's own name server, which the egress policy allows, or the system's servers. */
function serversOf(
  request: DnsRequest,
  settings: ResolverSettings,
  trust: Trust,
  context: RunContext,
): Promise<NameServer[]> | NameServer[] {
  const tls = { context: trust(), acceptsUntrusted: request.skipSSL };
  return request.nameServer
    ? chosenServer(request, request.nameServer, tls, context).then((server) => [server])
    : systemServers(request, settings, tls, context);
}

async function ask(request: DnsRequest, servers: readonly NameServer[], context: AskContext): Promise<Outcome> {
  const question = { name: questionName(request), type: typeNumber(request.recordType) };
  const [only] = servers;
  if (request.nameServer && only !== undefined) return { reply: await askServer(only, question, checkLimitMs, context), tried: [] };
  const { reply, tried } = await askInTurn(servers, question, { limitMs: checkLimitMs, tryMs }, context);
  if (reply !== null) return { reply, tried };
  // A code that says "I cannot" is an answer all the same where nobody has a better one.
  const last = tried.findLast((entry) => entry.reply !== null);
  if (last?.reply) return { reply: last.reply, tried: tried.filter((entry) => entry !== last) };
  throw systemFailure(tried);
}

/** An address is asked for by its name in in-addr.arpa or ip6.arpa. */
function questionName({ query, recordType }: DnsRequest): string {
  return (recordType === "PTR" ? reverseName(query) : null) ?? query;
}

function systemFailure(tried: readonly Tried[]): ProbeError {
  const reasons = tried.map(({ message }) => message).join("; ");
  return new ProbeError(tried.at(-1)?.code ?? "EDNS", `no server of the agent's own answered: ${reasons || "there is none"}`, {
    side: "agent",
  });
}
