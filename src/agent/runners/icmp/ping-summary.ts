import type { IcmpAnswer, Ping } from "#contract/checks/icmp.ts";
import type { Echo } from "../../net/icmp/echo-run.ts";
import { latencyOf, lossOf } from "../latency.ts";
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
    packetLoss: lossOf(packetsSent, rtts.length),
    latency: latencyOf(rtts),
    pingResults: echoes.map(pingOf),
  };
}

function pingOf({ sequence, type, code, rttMs, ttl }: Echo): Ping {
  return { sequence, type, code, success: rttMs !== null, rtt: rttMs === null ? null : toMicro(rttMs), ttl };
}
