import { isIP } from "node:net";
import type { IcmpAnswer, IcmpCheckSettings } from "#contract/checks/icmp.ts";
import { dataBytes, type Family } from "../../net/icmp/echo-packet.ts";
import type { EchoRun } from "../../net/icmp/echo-run.ts";
import { errorMeaning, unsentError } from "../../net/icmp/icmp-error.ts";
import { ping } from "../../net/icmp/ping.ts";
import { hasIPv6Form } from "../../net/ip-address.ts";
import { familiesToTry, isWithoutFamily } from "../../net/ip-families.ts";
import { targetHost } from "../../net/target-host.ts";
import type { CheckRunner, Observation, ProbeFailure, RunContext } from "../check-runner.ts";
import { failureFrom, failureOf } from "../failure.ts";
import { toMicro } from "../phase.ts";
import { summarize } from "./ping-summary.ts";

/** Between echo requests (behaviour 2.4). */
const intervalMs = 500;
const defaultPingCount = 10;

/** Runs ICMP checks; proxies carry no ICMP, so it always goes direct. */
export function createIcmpRunner(): CheckRunner<"ICMP"> {
  return { run: runIcmpCheck };
}

type Request = IcmpCheckSettings["request"] & { readonly pingCount: number };

async function runIcmpCheck({ request }: IcmpCheckSettings, context: RunContext): Promise<Observation<"ICMP">> {
  const startedMs = context.monotonicMs();
  const asked = { ...request, pingCount: request.pingCount ?? defaultPingCount };
  try {
    const { answer, run } = await pingHost(asked, context);
    return observation(asked, startedMs, context.monotonicMs(), answer, silenceOf(answer, run));
  } catch (error) {
    const failure = failureOf(error, context.signal);
    if (failure === null) throw error;
    return observation(asked, startedMs, context.monotonicMs(), null, failure);
  }
}

async function pingHost(request: Request, context: RunContext): Promise<{ answer: IcmpAnswer; run: EchoRun }> {
  const host = targetHost(request.hostname);
  if (isIP(host) === 0) context.egress.checkName(host); // also where the name would not resolve
  const [family = 4, next] = familiesToTry(host, request.ipFamily ?? "IPv4");
  try {
    return await pingFamily(request, host, family, context);
  } catch (error) {
    if (next === undefined || !isWithoutFamily(error)) throw error;
    return pingFamily(request, host, next, context);
  }
}

/** The first address, as ping does; but all of them have to be allowed, so that the order of the records does not decide. */
async function pingFamily(
  request: Request,
  host: string,
  family: Family,
  context: RunContext,
): Promise<{ answer: IcmpAnswer; run: EchoRun }> {
  const { hostname, pingCount } = request;
  const { signal, monotonicMs } = context;
  const lookupMs = monotonicMs();
  const addresses = await context.resolver.resolve(host, family, signal);
  const dnsResolutionTime = toMicro(monotonicMs() - lookupMs);
  for (const address of addresses) context.egress.check(address, 0, host);
  const [resolvedIp = ""] = addresses;
  const run = await ping(resolvedIp, { count: pingCount, intervalMs, signal, monotonicMs });
  const ipFamily = hasIPv6Form(resolvedIp) ? "IPv6" : "IPv4";
  const answer = { hostname, resolvedIp, ipFamily, pingCount, packetSize: dataBytes, dnsResolutionTime, ...summarize(run.echoes) } as const;
  return { answer, run };
}

/** Why not one reply came: what a router said, what this host said, or nothing. */
function silenceOf(
  { resolvedIp, ipFamily, packetsSent, packetsReceived }: IcmpAnswer,
  { echoes, unsentBecause }: EchoRun,
): ProbeFailure | null {
  if (packetsReceived > 0) return null;
  if (packetsSent === 0) return failureFrom(unsentError(resolvedIp, unsentBecause ?? "EUNKNOWN"));
  const requests = packetsSent === 1 ? "1 echo request" : `${packetsSent} echo requests`;
  const error = echoes.findLast(({ type }) => type !== null);
  if (error === undefined || error.type === null) {
    return { code: "ETIMEDOUT", message: `no reply to ${requests} to ${resolvedIp}`, side: "target" };
  }
  const { code, sentence } = errorMeaning(ipFamily === "IPv6" ? 6 : 4, error.type, error.code ?? 0);
  const who = error.from === null || error.from === resolvedIp ? "" : `, says ${error.from}`;
  return { code, message: `no reply to ${requests} to ${resolvedIp}: ${sentence}${who}`, side: "target" };
}

function observation(
  { hostname, ipFamily, pingCount }: Request,
  startedMs: number,
  stoppedMs: number,
  answer: IcmpAnswer | null,
  failure: ProbeFailure | null,
): Observation<"ICMP"> {
  const { avg, min, max, stdDev } = answer?.latency ?? { avg: null, min: null, max: null, stdDev: null };
  const responseTimeMs = avg ?? 0;
  return {
    startedMs,
    stoppedMs,
    responseTimeMs,
    statusCode: null,
    metrics: { packetLoss: answer?.packetLoss ?? null, latencyMin: min, latencyMax: max, latencyAvg: avg, latencyStdDev: stdDev },
    failure,
    facts: {
      statusCode: null,
      responseTimeMs,
      headers: {},
      text: () => JSON.stringify(answer),
      json: () => answer,
      fields: { LATENCY: { avg, min, max, stdDev } },
    },
    result: {
      request: { hostname, ipFamily: ipFamily ?? "IPv4", pingCount },
      response: answer,
      assertions: null,
      requestError: failure === null ? null : `${failure.code}: ${failure.message}`,
    },
  };
}
