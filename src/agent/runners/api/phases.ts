import type { TimingPhases, Timings } from "#contract/checks/api.ts";
import type { DialTrace } from "../../net/connection.ts";
import type { ExchangeTrace } from "../../net/http-exchange.ts";
import { between, toMicro } from "../phase.ts";

/** One connection and its exchange. A hop starts where the one before it ended, so nothing falls between them. */
export interface HopTrace extends DialTrace, ExchangeTrace {
  readonly startMs: number;
  readonly secure: boolean;
}

export const phaseNames = ["wait", "dns", "tcp", "tls", "firstByte", "download"] as const;
/** Lengths in ms, to the microsecond; null where the attempt did not get so far. */
export type Phases = Readonly<Record<(typeof phaseNames)[number], number | null>>;

/**
 * The phases of an attempt: each is the sum over its hops, so that with redirects, too, they sum to the total. A phase
 * that the last hop did not reach is null, whatever earlier hops took.
 */
export function attemptPhases(hops: readonly HopTrace[]): Phases {
  const [only, ...more] = hops.map(hopPhases);
  if (only === undefined) return { wait: null, dns: null, tcp: null, tls: null, firstByte: null, download: null };
  return more.reduce(addPhases, only);
}

/** Timings and their phases of an attempt that got its whole answer; with redirects the offsets are those of the sums. */
export function timingsOf(phases: Phases): { timings: Timings; timingPhases: TimingPhases } {
  const wait = phases.wait ?? 0;
  const dns = phases.dns ?? 0;
  const tcp = phases.tcp ?? 0;
  const tls = phases.tls ?? 0;
  const firstByte = phases.firstByte ?? 0;
  const download = phases.download ?? 0;
  const lookup = wait + dns;
  const connect = lookup + tcp;
  const secured = connect + tls;
  const response = secured + firstByte;
  const end = toMicro(response + download);
  const secureConnect = tls === 0 ? null : toMicro(secured);
  return {
    timings: { socket: wait, lookup: toMicro(lookup), connect: toMicro(connect), secureConnect, response: toMicro(response), end },
    timingPhases: { wait, dns, tcp, tls, firstByte, download, total: end },
  };
}

function hopPhases(hop: HopTrace): Phases {
  const secured = hop.secure ? hop.secureConnectMs : hop.connectMs;
  return {
    wait: between(hop.startMs, hop.socketMs),
    dns: between(hop.socketMs, hop.lookupMs),
    tcp: between(hop.lookupMs, hop.connectMs),
    tls: between(hop.connectMs, secured),
    firstByte: between(secured, hop.responseMs),
    download: between(hop.responseMs, hop.endMs),
  };
}

function addPhases(sum: Phases, phases: Phases): Phases {
  const add = (name: keyof Phases): number | null => {
    const [a, b] = [sum[name], phases[name]];
    return a === null || b === null ? null : toMicro(a + b);
  };
  return { wait: add("wait"), dns: add("dns"), tcp: add("tcp"), tls: add("tls"), firstByte: add("firstByte"), download: add("download") };
}
