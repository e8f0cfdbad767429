import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { stateLabel, type Tone } from "../../pages/public/state-label.ts";
import { clockText, countText, timeElement } from "../../pages/public/units.ts";
import { checkPageStyle } from "../check-style.ts";
import { postForm, problemBox } from "../form-view.ts";
import { part } from "../result/facts.ts";
import { consolePage } from "../shell.ts";
import { table } from "../table.ts";
import type { Visit } from "../visit.ts";
import { type Advice, missedTexts } from "./advice.ts";
import { agentTable } from "./agent-table.ts";
import { freshKey, keySection } from "./key-section.ts";
import { type LocationReading, missedText } from "./location-reading.ts";
import { locationPageStyle } from "./location-style.ts";
import { axisText, countTops, dayTicks, peakChart, waitTops } from "./queue-chart.ts";
import { waitText } from "./texts.ts";

export interface LocationView {
  readonly reading: LocationReading;
  /** Where agents reach the control plane. */
  readonly apiUrl: string;
  /** Just made: it is shown once. */
  readonly rawKey?: string | undefined;
  readonly isRevoked?: boolean;
  readonly problems?: { readonly key?: string; readonly removal?: string };
  readonly status?: number;
}

export function locationPage(visit: Visit, view: LocationView): FormAnswer {
  const { reading, apiUrl, rawKey, isRevoked = false, problems = {}, status = 200 } = view;
  const { location, state, agents, nowMs } = reading;
  const body = html`<p class="crumbs"><a href="/locations">Locations</a></p>
<div class="head"><h1>${location.name}</h1>${stateLabel(state.tone, state.text)}</div>
<p class="about"><span>${location.slugName}</span><span>made ${timeElement(Date.parse(location.created_at))}</span>${location.proxyUrl !== null && html`<span class="address">checks go through ${location.proxyUrl}</span>`}</p>
${isRevoked && html`<p class="box good" role="status">The key is revoked.</p>`}
${rawKey !== undefined && freshKey(reading, rawKey, apiUrl)}
${adviceList(reading)}
${figures(reading)}
${part("Agents", agentTable(agents, nowMs))}
${queueSection(reading)}
${missedSection(reading)}
${errorSection(reading)}
${keySection(visit, reading, problems.key)}
${removal(visit, reading, problems.removal)}`;
  return { ...consolePage(visit, { title: location.name, style: checkPageStyle + locationPageStyle, body }), status };
}

const grades: Readonly<Record<Advice["grade"], readonly [tone: Tone, text: string]>> = {
  now: ["bad", "Now"],
  soon: ["warn", "Soon"],
  hint: ["none", "Hint"],
};

function adviceList({ advice }: LocationReading): Html {
  if (advice.length === 0) return html``;
  return html`<ul class="advice" aria-label="Advice">${advice.map(
    ({ grade, text }) => html`<li class="box ${grade}">${stateLabel(...grades[grade])}<span>${text}</span></li>`,
  )}</ul>`;
}

function figures({ agents, queue, lag, missed }: LocationReading): Html {
  const figure = (name: string, value: string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const connected = agents.filter(({ state }) => state === "connected").length;
  const missedCount = missed.reduce((sum, { count }) => sum + count, 0);
  return html`<dl class="figures">${figure("Agents connected", number(connected))}${figure("Runs waiting", number(queue.queued))}${figure("Oldest waits", wait(queue.oldestWaitMs))}${figure("Running now", number(queue.leased))}
${figure("Lag p50, last hour", wait(lag?.p50))}${figure("Lag p99, last hour", wait(lag?.p99))}${figure("Missed, 24 h", missedText(missedCount))}</dl>`;
}

function queueSection({ day }: LocationReading): Html {
  const { fromMs, toMs, buckets } = day;
  if (buckets.every(({ queueSize }) => queueSize === null)) return html``;
  const ticks = dayTicks(fromMs, toMs);
  const label = (what: string): string => `${what} over the last 24 hours, UTC; the table below has the figures`;
  const sizes = peakChart({
    title: "Runs waiting, the most in 10 minutes",
    label: label("Runs that waited"),
    values: buckets.map(({ queueSize }) => queueSize),
    textOf: number,
    ticks,
    tops: countTops,
  });
  const waits = peakChart({
    title: "Longest wait in 10 minutes",
    label: label("The longest wait"),
    values: buckets.map(({ oldestMs }) => oldestMs),
    textOf: axisText,
    ticks,
    tops: waitTops,
  });
  return part("Queue of the last 24 hours", html`<div class="charts">${sizes}${waits}</div>`, hourTable(buckets));
}

/** Peaks of whole hours: six buckets each. */
function hourTable(buckets: LocationReading["day"]["buckets"]): Html {
  const hours = Array.from({ length: buckets.length / 6 }, (_, index) => buckets.slice(index * 6, index * 6 + 6));
  const peak = (values: readonly (number | null)[]): number | null => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? null : Math.max(...known);
  };
  const rows = hours.map((hour) => {
    const size = peak(hour.map(({ queueSize }) => queueSize));
    const oldest = peak(hour.map(({ oldestMs }) => oldestMs));
    return html`<tr><th scope="row">${clockText(hour[0]?.fromMs ?? 0)} UTC</th><td>${size === null ? "–" : number(size)}</td><td>${wait(oldest)}</td></tr>`;
  });
  return html`<details><summary>As a table, by hour</summary>${table(["Hour from", "Most runs waiting", "Longest wait"], rows, "numbers")}</details>`;
}

function missedSection({ missed }: LocationReading): Html {
  if (missed.length === 0) return html``;
  const rows = missed.map(({ reason, count, checks, latestMs }) => {
    const { what, remedy } = missedTexts[reason];
    return html`<tr><td>${what}</td><td>${countText(count, "run")} of ${countText(checks, "check")}</td><td>${timeElement(latestMs)}</td><td class="free">${remedy}</td></tr>`;
  });
  return part("Missed runs of the last 24 hours", table(["Why", "How many", "Latest", "What helps"], rows, "missed"));
}

function errorSection({ errors, errorTotal }: LocationReading): Html {
  if (errors.length === 0) return html``;
  const rows = errors.map(({ message, stack, agentVersion, platform, runtimeVersion, lastSeen, firstSeen, count }) => {
    const where = stack === "" ? html`` : html`<details><summary>Where</summary><pre class="verbatim">${stack}</pre></details>`;
    return html`<tr><td class="free">${message}${where}</td><td>${count.toLocaleString("en-US")}</td><td>${timeElement(Date.parse(lastSeen))}<span class="under">since ${timeElement(Date.parse(firstSeen))}</span></td><td>${agentVersion}<span class="under">${platform}, Node.js ${runtimeVersion.replace(/^v/, "")}</span></td></tr>`;
  });
  const more =
    errorTotal > errors.length
      ? html`<p class="soft">The latest ${errors.length} of ${errorTotal}; the REST API lists all of them.</p>`
      : html``;
  return part("Errors of the agents themselves", table(["Error", "Times", "Last", "Agent"], rows), more);
}

function removal(visit: Visit, { location }: LocationReading, problem: string | undefined): Html {
  if (!roleAllows(visit.role, "write")) return html``;
  const form = html`<details class="asks"><summary>Remove</summary><div>
<p>Remove ${location.name}? Its keys are revoked, and its agents stop getting work.</p>
${postForm(`/locations/${location.id}/remove`, visit.csrf, html`<button class="danger">Remove the location</button>`)}
</div></details>`;
  const text = html`<p>No check may name it any more. Results keep its short name.</p>`;
  return part("Remove this location", problemBox(problem) || html``, html`<div class="gone">${text}${form}</div>`);
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

function wait(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? "–" : waitText(ms);
}
