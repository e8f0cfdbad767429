import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { adviceTexts, locationTexts as texts } from "../../texts/locations.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel, type Tone } from "../../view/state-label.ts";
import { clockText, numberText, timeElement } from "../../view/units.ts";
import { checkPageStyle } from "../check-style.ts";
import { part } from "../facts.ts";
import { postForm, problemBox } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { table } from "../table.ts";
import type { Visit } from "../visit.ts";
import type { Advice } from "./advice.ts";
import { agentTable } from "./agent-table.ts";
import { hostSection } from "./host-section.ts";
import { freshKey, keySection } from "./key-section.ts";
import { waitText } from "./lengths.ts";
import { type LocationReading, missedText } from "./location-reading.ts";
import { locationPageStyle } from "./location-style.ts";
import { axisText, countTops, dayTicks, peakChart, waitTops } from "./queue-chart.ts";

export interface LocationView {
  readonly reading: LocationReading;
  /** Where agents reach the control plane. */
  readonly apiUrl: string;
  /** Just made: it is shown once. */
  readonly rawKey?: string | undefined;
  readonly isRevoked?: boolean;
  readonly problems?: { readonly key?: string; readonly hosts?: string; readonly removal?: string };
  readonly status?: number;
}

export function locationPage(visit: Visit, view: LocationView): FormAnswer {
  const { reading, apiUrl, rawKey, isRevoked = false, problems = {}, status = 200 } = view;
  const { location, state, agents, nowMs } = reading;
  const body = html`<p class="crumbs"><a href="/locations">${texts.title}</a></p>
<div class="head"><h1>${location.name}</h1>${stateLabel(state.tone, state.text)}</div>
<p class="about"><span>${location.slugName}</span><a href="/checks?q=${encodeURIComponent(location.slugName)}">${texts.checksHere}</a><span>${texts.made(timeElement(Date.parse(location.created_at)))}</span>${location.proxyUrl !== null && html`<span class="address">${texts.through(location.proxyUrl)}</span>`}</p>
${isRevoked && html`<p class="box good" role="status">${texts.keyRevoked}</p>`}
${rawKey !== undefined && freshKey(reading, rawKey, apiUrl)}
${adviceList(reading)}
${figures(reading)}
${part(texts.agents, agentTable(agents, nowMs))}
${queueSection(reading)}
${missedSection(reading)}
${errorSection(reading)}
${keySection(visit, reading, problems.key)}
${hostSection(visit, reading, problems.hosts)}
${removal(visit, reading, problems.removal)}`;
  return { ...consolePage(visit, { title: location.name, style: checkPageStyle + locationPageStyle, body }), status };
}

const tones: Readonly<Record<Advice["grade"], Tone>> = { now: "bad", soon: "warn", hint: "none" };

function adviceList({ advice }: LocationReading): Html {
  if (advice.length === 0) return html``;
  return html`<ul class="advice" aria-label="${texts.advice}">${advice.map(
    ({ grade, text }) => html`<li class="box ${grade}">${stateLabel(tones[grade], texts.grades[grade])}<span>${text}</span></li>`,
  )}</ul>`;
}

function figures({ agents, queue, lag, missed }: LocationReading): Html {
  const figure = (name: string, value: string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const connected = agents.filter(({ state }) => state === "connected").length;
  const missedCount = missed.reduce((sum, { count }) => sum + count, 0);
  return html`<dl class="figures">${figure(texts.connected, numberText(connected))}${figure(texts.runsWaiting, numberText(queue.queued))}${figure(texts.oldestWaits, wait(queue.oldestWaitMs))}${figure(texts.runningNow, numberText(queue.leased))}
${figure(texts.lagP50, wait(lag?.p50))}${figure(texts.lagP99, wait(lag?.p99))}${figure(texts.missed, missedText(missedCount))}</dl>`;
}

function queueSection({ day }: LocationReading): Html {
  const { fromMs, toMs, buckets } = day;
  if (buckets.every(({ queueSize }) => queueSize === null)) return html``;
  const ticks = dayTicks(fromMs, toMs);
  const sizes = peakChart({
    title: texts.queueSizes,
    label: texts.queueSizesLabel,
    values: buckets.map(({ queueSize }) => queueSize),
    textOf: numberText,
    ticks,
    tops: countTops,
  });
  const waits = peakChart({
    title: texts.queueWaits,
    label: texts.queueWaitsLabel,
    values: buckets.map(({ oldestMs }) => oldestMs),
    textOf: axisText,
    ticks,
    tops: waitTops,
  });
  return part(texts.queueHeading, html`<div class="charts">${sizes}${waits}</div>`, hourTable(buckets));
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
    return html`<tr><th scope="row">${texts.clock(clockText(hour[0]?.fromMs ?? 0))}</th><td>${size === null ? texts.unknown : numberText(size)}</td><td>${wait(oldest)}</td></tr>`;
  });
  return html`<details><summary>${texts.queueTable}</summary>${table(texts.queueNames, rows, "numbers")}</details>`;
}

function missedSection({ missed }: LocationReading): Html {
  if (missed.length === 0) return html``;
  const rows = missed.map(({ reason, count, checks, latestMs }) => {
    const { what, remedy } = adviceTexts.missed[reason];
    return html`<tr><td>${what}</td><td>${texts.missedRuns(count, checks)}</td><td>${timeElement(latestMs)}</td><td class="free">${remedy}</td></tr>`;
  });
  return part(texts.missedHeading, table(texts.missedNames, rows, "missed"));
}

function errorSection({ errors, errorTotal }: LocationReading): Html {
  if (errors.length === 0) return html``;
  const rows = errors.map(({ message, stack, agentVersion, platform, runtimeVersion, lastSeen, firstSeen, count }) => {
    const where = stack === "" ? html`` : html`<details><summary>${texts.where}</summary><pre class="verbatim">${stack}</pre></details>`;
    return html`<tr><td class="free">${message}${where}</td><td>${numberText(count)}</td><td>${timeElement(Date.parse(lastSeen))}<span class="under">${texts.since(timeElement(Date.parse(firstSeen)))}</span></td><td>${agentVersion}<span class="under">${texts.onPlatform(platform, runtimeVersion.replace(/^v/, ""))}</span></td></tr>`;
  });
  const more = errorTotal > errors.length ? html`<p class="soft">${texts.latest(errors.length, errorTotal)}</p>` : html``;
  return part(texts.errorHeading, table(texts.errorNames, rows), more);
}

function removal(visit: Visit, { location, users }: LocationReading, problem: string | undefined): Html {
  if (!roleAllows(visit.role, "write")) return html``;
  if (users.links.length > 0) {
    const links = users.links.map(({ href, name }) => html`<li><a href="${href}">${name}</a></li>`);
    return part(
      texts.removeHeading,
      problemBox(problem) || html``,
      html`<p>${texts.inUse}</p><ul>${links}</ul>${users.hasMore && html`<p><a href="/checks?q=${encodeURIComponent(location.slugName)}">${texts.moreUsers}</a></p>`}`,
    );
  }
  const form = html`<details class="asks"><summary>${actionTexts.delete}</summary><div>
<p>${texts.askRemove(location.name)}</p>
${postForm(`/locations/${location.id}/remove`, visit.csrf, html`<button class="danger">${texts.remove}</button>`)}
</div></details>`;
  const text = html`<p>${texts.removeHint}</p>`;
  return part(texts.removeHeading, problemBox(problem) || html``, html`<div class="gone">${text}${form}</div>`);
}

function wait(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? texts.unknown : waitText(ms);
}
