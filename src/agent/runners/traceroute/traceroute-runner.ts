import { isIP } from "node:net";
import type { TracerouteAnswer } from "#contract/checks/traceroute.ts";
import { withDeadline } from "#daemon/deadline.ts";
import { hasCode } from "#domain/app-error.ts";
import { hasIPv6Form } from "../../net/ip-address.ts";
import { familiesToTry, isWithoutFamily } from "../../net/ip-families.ts";
import { ProbeError } from "../../net/probe-error.ts";
import type { CheckRunner, ProbeFailure, RunContext } from "../check-runner.ts";
import { failureOf } from "../failure.ts";
import { toMicro } from "../phase.ts";
import { unreached } from "./failure.ts";
import { withNames } from "./hop-names.ts";
import { type Attempt, observationOf } from "./observation.ts";
import { pathSummary } from "./path-summary.ts";
import { type SpokenProtocol, spokenProtocol, traceHost, traceRequest } from "./request.ts";
import { canonicalAddress, trace } from "./trace.ts";

/** A check ends by itself before the limit of its run would cut it off without what it saw (ms). */
const longestMs = 28_500;
/** For the names of hops in all, and what is kept back for them of a short timeout (ms). */
const namesLimitMs = 2_000;
const namesReserveMs = 500;

/** Runs traceroute checks; proxies carry no probes, so it always goes direct. */
export function createTracerouteRunner(): CheckRunner<"TRACEROUTE"> {
  return {
    async run({ request }, context) {
      const attempt: Attempt = { request: traceRequest(request), startedMs: context.monotonicMs(), answer: null, phases: null };
      try {
        const failure = await traceHostOf(attempt, context);
        return observationOf(attempt, failure, context.monotonicMs());
      } catch (error) {
        const failure = failureOf(error, context.signal);
        if (failure === null) throw error;
        return observationOf(attempt, failure, context.monotonicMs());
      }
    },
  };
}

/** Fills in the attempt's answer. @returns why the target was not reached, or null */
async function traceHostOf(attempt: Attempt, context: RunContext): Promise<ProbeFailure | null> {
  const { request } = attempt;
  spokenProtocol(request);
  const host = traceHost(request);
  if (isIP(host) === 0) context.egress.checkName(host); // also where the name would not resolve
  const [family = 4, next] = familiesToTry(host, request.ipFamily);
  try {
    return await traceFamily(attempt, host, family, context);
  } catch (error) {
    if (next === undefined || !isWithoutFamily(error)) throw error;
    return traceFamily(attempt, host, next, context);
  }
}

/** The first address, as traceroute(8) does; but all of them have to be allowed, so that the order of the records does not decide. */
async function traceFamily(attempt: Attempt, host: string, family: 4 | 6, context: RunContext): Promise<ProbeFailure | null> {
  const { request, startedMs } = attempt;
  const { signal, monotonicMs } = context;
  const { protocol, method } = spokenProtocol(request);
  const { port, maxHops, maxUnknownHops, timeout } = request;
  const endsAtMs = startedMs + Math.min(timeout * 1_000, longestMs);
  const lookupMs = monotonicMs();
  const addresses = await resolved(host, family, endsAtMs - lookupMs, context);
  for (const address of addresses) context.egress.check(address, port ?? 0, host);
  const tracedMs = monotonicMs();
  const resolvedIp = canonicalAddress(addresses[0] ?? "");
  const reserveMs = request.ptrLookup ? namesReserveMs : 0;
  const seen = await trace(
    { method, address: resolvedIp, port, maxHops, maxUnknownHops },
    { endsAtMs: endsAtMs - reserveMs, monotonicMs, signal },
  );
  const namesMs = monotonicMs();
  const summary = pathSummary(seen, maxHops);
  const limitMs = request.ptrLookup ? Math.min(namesLimitMs, endsAtMs - namesMs) : 0;
  const hops = await withNames(summary.hops, context.resolver, limitMs, signal);
  const endMs = monotonicMs();
  attempt.answer = { hostname: host, resolvedIp, ...familyOf(resolvedIp, protocol), port, protocol, ...summary, hops };
  attempt.phases = {
    dns: toMicro(tracedMs - lookupMs),
    trace: toMicro(namesMs - tracedMs),
    names: toMicro(endMs - namesMs),
    total: toMicro(endMs - startedMs),
  };
  return unreached(resolvedIp, summary, seen, timeout);
}

async function resolved(host: string, family: 4 | 6, limitMs: number, { resolver, signal }: RunContext): Promise<string[]> {
  try {
    return await withDeadline(signal, limitMs, "DNS", (limit) => resolver.resolve(host, family, limit));
  } catch (error) {
    if (signal.aborted || !hasCode(error, "deadline_exceeded")) throw error;
    throw new ProbeError("ETIMEDOUT", `DNS: no server answered for ${host} within the timeout of the check`, { side: "agent" });
  }
}

function familyOf(address: string, protocol: SpokenProtocol): Pick<TracerouteAnswer, "ipFamily" | "probeProtocol"> {
  const isIPv6 = hasIPv6Form(address);
  const probes = { TCP: "TCP SYN", UDP: "UDP datagram", ICMP: isIPv6 ? "ICMPv6 echo" : "ICMP echo" };
  return { ipFamily: isIPv6 ? "IPv6" : "IPv4", probeProtocol: probes[protocol] };
}
