import type { IcmpCheckResult, Ping } from "#contract/checks/icmp.ts";
import { type Html, html } from "../../pages/html.ts";
import { stateLabel } from "../../pages/public/state-label.ts";
import { durationText } from "../../pages/public/units.ts";
import { table } from "../table.ts";
import { bytesText, factList, part } from "./facts.ts";

export function pingSeen({ request, response }: IcmpCheckResult): Html {
  const latency = response?.latency;
  return part(
    "Pings",
    factList([
      ["Target", `${request.hostname}${response === null ? "" : ` (${response.resolvedIp})`}, ${request.ipFamily}`],
      ["Loss", response && `${response.packetLoss} %: ${response.packetsReceived} of ${response.packetsSent} came back`],
      ["Average", msText(latency?.avg)],
      ["Least", msText(latency?.min)],
      ["Most", msText(latency?.max)],
      ["Deviation", msText(latency?.stdDev)],
      ["Look-up", response && durationText(response.dnsResolutionTime)],
      ["Packet size", response && bytesText(response.packetSize)],
    ]),
    response === null || response.pingResults.length === 0 ? html`` : pings(response.pingResults),
  );
}

function pings(all: readonly Ping[]): Html {
  const longest = Math.max(0.001, ...all.map(({ rtt }) => rtt ?? 0));
  const rows = all.map((ping) => {
    const { sequence, success, rtt, ttl } = ping;
    const bar =
      rtt !== null &&
      html`<svg width="100%" height="10" aria-hidden="true"><rect class="p5" width="${((100 * rtt) / longest).toFixed(1)}%" height="10" rx="2"/></svg>`;
    const what = success && rtt !== null ? durationText(rtt) : stateLabel("bad", "lost");
    return html`<tr><td>${sequence}</td><td class="time">${what}</td><td class="bar">${bar}</td><td>${ttl ?? "–"}</td><td class="free">${answerText(ping)}</td></tr>`;
  });
  return html`<details open><summary>Each of them</summary>${table(["Number", "Round trip", "", "TTL", "Answer"], rows, "hops")}</details>`;
}

/** What answered in the place of the target: an error of a router. */
function answerText({ success, type, code }: Ping): string {
  if (success) return "reply";
  return type === null ? "none" : `ICMP type ${type}${code === null ? "" : ` code ${code}`}`;
}

function msText(value: number | null | undefined): string | null {
  return value === null || value === undefined ? null : durationText(value);
}
