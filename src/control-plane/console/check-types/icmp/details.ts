import type { IcmpCheckResult, Ping } from "#contract/checks/icmp.ts";
import { resultSeenTexts } from "../../../texts/result-seen.ts";
import { type Html, html } from "../../../view/html.ts";
import { stateLabel } from "../../../view/state-label.ts";
import { durationText } from "../../../view/units.ts";
import { bytesText, factList, part } from "../../facts.ts";
import { table } from "../../table.ts";
import type { RunDetails } from "../check-type.ts";

const texts = resultSeenTexts.ping;

export function icmpDetails(seen: IcmpCheckResult): RunDetails {
  const { response } = seen;
  const facts = () => (response === null ? {} : { json: () => response, fields: { LATENCY: response.latency } });
  return { shown: () => pingSeen(seen), tookMs: response?.latency.avg ?? null, phases: {}, facts, scripts: null };
}

function pingSeen({ request, response }: IcmpCheckResult): Html {
  const latency = response?.latency;
  const { hostname, ipFamily } = request;
  const target = response === null ? texts.unresolved(hostname, ipFamily) : texts.ofAddress(hostname, response.resolvedIp, ipFamily);
  return part(
    texts.title,
    factList([
      [resultSeenTexts.target, target],
      [texts.loss, response && texts.lossOf(response.packetLoss, response.packetsReceived, response.packetsSent)],
      [texts.average, msText(latency?.avg)],
      [texts.least, msText(latency?.min)],
      [texts.most, msText(latency?.max)],
      [texts.deviation, msText(latency?.stdDev)],
      [texts.lookUp, response && durationText(response.dnsResolutionTime)],
      [texts.packetSize, response && bytesText(response.packetSize)],
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
    const what = success && rtt !== null ? durationText(rtt) : stateLabel("bad", texts.lost);
    return html`<tr><td>${sequence}</td><td class="time">${what}</td><td class="bar">${bar}</td><td>${ttl ?? texts.none}</td><td class="free">${answerText(ping)}</td></tr>`;
  });
  return html`<details open><summary>${texts.each}</summary>${table(texts.columns, rows, "hops")}</details>`;
}

/** What answered in the place of the target: an error of a router. */
function answerText({ success, type, code }: Ping): string {
  if (success) return texts.reply;
  return type === null ? texts.noReply : texts.icmp(type, code);
}

function msText(value: number | null | undefined): string | null {
  return value === null || value === undefined ? null : durationText(value);
}
