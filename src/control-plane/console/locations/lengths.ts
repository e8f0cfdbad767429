import { agentTexts, locationTexts as texts } from "../../texts/locations.ts";
import { type Html, html } from "../../view/html.ts";
import { durationText, lengthText, timeElement } from "../../view/units.ts";

/** A wait: fine where it is short, and in its two largest units where it is long. */
export function waitText(ms: number): string {
  return ms < 100_000 ? durationText(ms) : lengthText(ms);
}

export function agoText(ms: number, nowMs: number): string {
  return nowMs - ms < 60_000 ? texts.justNow : texts.ago(lengthText(nowMs - ms));
}

/** How long ago, and below it when. */
export function agoWithTime(ms: number | null, nowMs: number): Html {
  return ms === null
    ? html`<span class="soft">${texts.never}</span>`
    : html`${agoText(ms, nowMs)}<span class="under">${timeElement(ms)}</span>`;
}

/** How far an agent's clock is off. It is known to the second, and a reply takes its time: less than two seconds is nothing. */
export function clockText(aheadMs: number): string {
  const offMs = Math.abs(aheadMs);
  if (offMs < 2_000) return agentTexts.clockRight;
  const length = offMs < 120_000 ? `${Math.round(offMs / 1_000)} s` : lengthText(offMs);
  return aheadMs > 0 ? agentTexts.clockAhead(length) : agentTexts.clockBehind(length);
}
