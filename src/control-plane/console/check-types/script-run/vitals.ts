import type { ResultOf } from "#contract/checks/index.ts";
import { type PlaywrightPage, type WebVitalName } from "#contract/checks/playwright-run.ts";
import { scriptRunTexts } from "../../../texts/script-run.ts";
import { type Html, html } from "../../../view/html.ts";
import { stateLabel, type Tone } from "../../../view/state-label.ts";
import { durationText } from "../../../view/units.ts";
import { part } from "../../facts.ts";
import { scrolled } from "./wide-table.ts";

const texts = scriptRunTexts.vitals;
/** In the order in which a visitor meets them. */
const order: readonly WebVitalName[] = ["TTFB", "FCP", "LCP", "CLS", "TBT"];
const tones: Readonly<Record<keyof typeof texts.scores, Tone>> = { GOOD: "ok", NEEDS_IMPROVEMENT: "warn", POOR: "bad" };

export function vitals({ pages }: Pick<ResultOf<"BROWSER">, "pages">): Html {
  const row = ({ url, webVitals }: PlaywrightPage): Html =>
    html`<tr><th scope="row" class="free"><span class="address">${url}</span></th>${order.map((name) => html`<td>${vital(name, webVitals[name])}</td>`)}</tr>`;
  return part(texts.title, scrolled(texts.label, [texts.page, ...order.map((name) => texts.names[name])], pages.map(row)));
}

function vital(name: WebVitalName, seen: PlaywrightPage["webVitals"][WebVitalName]): Html {
  if (seen === undefined) return html`${texts.none}`;
  const value = name === "CLS" ? seen.value.toFixed(3) : durationText(seen.value);
  return html`${stateLabel(tones[seen.score], value)} <span class="soft">${texts.scores[seen.score]}</span>`;
}
