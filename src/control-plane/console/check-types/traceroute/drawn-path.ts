import type { TracerouteAnswer, TracerouteHop } from "#contract/checks/traceroute.ts";
import { type HopPart, hopParts } from "#domain/traceroute-hops.ts";
import { resultSeenTexts } from "../../../texts/result-seen.ts";
import { type Html, html } from "../../../view/html.ts";
import { stateLabel } from "../../../view/state-label.ts";
import { durationText } from "../../../view/units.ts";

/* A path from the agent on, a hop to a row: a point on a line that goes on, who answers there, and how long that takes. Everything drawn stands
   beside it in words, for those who do not see it. */

const texts = resultSeenTexts.path;

export function drawnPath({ hops, destinationReached }: TracerouteAnswer): Html {
  if (hops.length === 0) return html``;
  const longest = Math.max(0.001, ...hops.map(({ latency }) => latency.max ?? 0));
  const rows = hopParts(hops).map((one, index, all) => {
    const isTarget = destinationReached && index === all.length - 1;
    return one.hop === null ? silentRow(one) : hopRow(one.hop, isTarget, longest);
  });
  const end = html`<tr class="end"><td></td><td class="node">${point("lost")}</td><td colspan="5">${stateLabel("bad", texts.end)}</td></tr>`;
  return html`<div class="wide" tabindex="0" role="region" aria-label="${texts.label}"><table class="hops path"><caption class="hidden">${texts.label}</caption><thead><tr>${texts.columns.map((name) => (name === "" ? html`<td></td>` : html`<th scope="col">${name}</th>`))}</tr></thead><tbody>${rows}${!destinationReached && end}</tbody></table></div>`;
}

function silentRow({ first, last }: HopPart): Html {
  const what = first === last ? texts.silent : texts.silentHops(last - first + 1);
  return html`<tr class="silent"><th scope="row">${texts.hop(first, last)}</th><td class="node">${point("silent")}</td><td class="soft">${what}</td><td>${texts.none}</td><td class="time">${texts.none}</td><td class="bar"></td><td></td></tr>`;
}

function hopRow(hop: TracerouteHop, isTarget: boolean, longest: number): Html {
  const { packetLoss, packetsReceived, packetsSent, latency } = hop;
  const { avg, min, max } = latency;
  const loss = texts.loss(packetLoss, packetsReceived, packetsSent);
  const spread = min !== null && max !== null && texts.fromTo(durationText(min), durationText(max));
  return html`<tr><th scope="row">${texts.hop(hop.hop, hop.hop)}</th><td class="node">${point(isTarget ? "target" : "router")}</td><td>${whoOf(hop)}${isTarget && html` <strong>${texts.isTarget}</strong>`}</td><td>${packetLoss === 0 ? loss : stateLabel("warn", loss)}</td><td class="time">${avg === null ? texts.none : durationText(avg)}</td><td class="bar">${bar(latency, longest)}</td><td class="free">${spread}</td></tr>`;
}

function whoOf({ address, hostname, addresses, alternatives }: TracerouteHop): Html {
  const also = addresses.filter((one) => one !== address);
  return html`<span class="address">${address}</span>${hostname !== null && html` <span class="soft">${hostname}</span>`}${also.length > 0 && html`<br><span class="soft">${texts.alsoHere(also.join(", "))}</span>`}${alternatives.length > 0 && html`<br><span class="soft">${texts.otherWay(alternatives.join(", "))}</span>`}`;
}

/** From the shortest to the longest round trip, with a mark at their average. */
function bar({ avg, min, max }: TracerouteHop["latency"], longest: number): Html {
  if (avg === null || min === null || max === null) return html``;
  const percent = (ms: number): string => ((100 * ms) / longest).toFixed(1);
  return html`<svg width="100%" height="10" aria-hidden="true"><rect class="p5" width="${percent(avg)}%" height="10" rx="2"/><rect class="p5 spread" x="${percent(min)}%" width="${percent(Math.max(0, max - min))}%" y="3.5" height="3"/></svg>`;
}

const points = {
  router: html`<circle cx="8" cy="8" r="4.5"/>`,
  silent: html`<circle cx="8" cy="8" r="4.5" stroke-dasharray="2.2 2.2"/>`,
  target: html`<circle cx="8" cy="8" r="6.5"/><circle class="core" cx="8" cy="8" r="3"/>`,
  lost: html`<path d="M4 4l8 8M12 4l-8 8"/>`,
} as const;

function point(kind: keyof typeof points): Html {
  return html`<svg class="${kind}" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">${points[kind]}</svg>`;
}
