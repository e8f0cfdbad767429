import { type Html, html } from "../../pages/html.ts";
import { durationText, percentText } from "../../pages/public/units.ts";
import { table } from "../table.ts";
import type { CheckView } from "./check-view.ts";
import { lineChart } from "./line-chart.ts";
import { ranges, ticksOf } from "./range.ts";

export function figureSection({ check, range, figures, nowMs }: CheckView): Html {
  if (figures === null) return html``;
  const { whole, places, lines } = figures;
  const figure = (name: string, value: string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const tabs = ranges.map(
    ({ name, label }) =>
      html`<li><a href="/checks/${check.id}?range=${name}"${name === range.name && html` aria-current="page"`}>${label}</a></li>`,
  );
  const label = `Response time by location, last ${range.label.toLowerCase()}; the table below has the figures`;
  const rows = places.map(
    ({ name, availability, p50, p95, p99 }) =>
      html`<tr><th scope="row">${name}</th><td>${percent(availability)}</td><td>${time(p50)}</td><td>${time(p95)}</td><td>${time(p99)}</td></tr>`,
  );
  return html`<section><h2>Response time</h2><nav aria-label="Range"><ul class="ranges">${tabs}</ul></nav>
<dl class="figures">${figure("Availability", percent(whole.availability))}${figure("p50", time(whole.p50))}${figure("p95", time(whole.p95))}${figure("p99", time(whole.p99))}</dl>
${lineChart({ label, lines, ticks: ticksOf(range, nowMs) })}
${rows.length > 0 && html`<details><summary>As a table, by location</summary>${table(["Location", "Availability", "p50", "p95", "p99"], rows, "numbers")}</details>`}</section>`;
}

function percent(value: number | null): string {
  return value === null ? "–" : percentText(value);
}

function time(ms: number | null): string {
  return ms === null ? "–" : durationText(ms);
}
