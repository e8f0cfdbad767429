import type { IcmpAnswer, Ping } from "#contract/checks/icmp.ts";
import type { Echo } from "../../net/icmp/echo-run.ts";
import { toMicro } from "../phase.ts";

type Summary = Pick<IcmpAnswer, "packetsSent" | "packetsReceived" | "packetLoss" | "latency" | "pingResults">;

/**
 * Loss in percent of what was sent, and the round trips' minimum, average, maximum and population standard deviation (ping's
 * mdev) in milliseconds, to a microsecond. Requests that this host did not send are not lost.
 */
export function summarize(echoes: readonly Echo[]): Summary {
  const rtts = echoes.flatMap(({ rttMs }) => (rttMs === null ? [] : [rttMs]));
  const packetsSent = echoes.filter(({ wasSent }) => wasSent).length;
  return {
    packetsSent,
    packetsReceived: rtts.length,
    packetLoss: packetsSent === 0 ? 100 : toMicro(((packetsSent - rtts.length) / packetsSent) * 100),
    latency: latencyOf(rtts),
    pingResults: echoes.map(pingOf),
  };
}

function latencyOf(rtts: readonly number[]): IcmpAnswer["latency"] {
  if (rtts.length === 0) return { avg: null, min: null, max: null, stdDev: null };
  const avg = sum(rtts) / rtts.length;
  const variance = sum(rtts.map((rtt) => (rtt - avg) ** 2)) / rtts.length;
  return { avg: toMicro(avg), min: toMicro(Math.min(...rtts)), max: toMicro(Math.max(...rtts)), stdDev: toMicro(Math.sqrt(variance)) };
}

function pingOf({ sequence, type, code, rttMs, ttl }: Echo): Ping {
  return { sequence, type, code, success: rttMs !== null, rtt: rttMs === null ? null : toMicro(rttMs), ttl };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
