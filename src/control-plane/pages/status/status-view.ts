import { type HistoryDay, type ServiceHistory, severities, worstOf } from "#domain/service-history.ts";
import type { PageAnswer } from "../../http/page-routes.ts";
import { statusPageTexts as texts } from "../../texts/status-pages.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel, type Tone } from "../../view/state-label.ts";
import { clockElement, countText, dateText, lengthText, percentText } from "../../view/units.ts";
import { fingerprint, httpsOnly, publicPage, webLink } from "../public/public-page.ts";
import { openIncidents, pastIncidents, plannedMaintenance, severityTones } from "./incident-view.ts";
import { historyDays, type ShownCard, type ShownService, type ShownStatus } from "./status-model.ts";
import { statusStyle, themeSheet } from "./status-style.ts";

type Settings = ShownStatus["settings"];

/** @param base what the page's other addresses begin with */
export function statusPage(shown: ShownStatus, base: string, canSubscribe: boolean): PageAnswer {
  const { settings } = shown;
  const theme = themeSheet(settings);
  const { name, description, defaultTheme, favicon, logo, logoDark } = settings;
  return publicPage({
    title: name,
    description,
    style: statusStyle(settings),
    stylesheet: theme === "" ? null : `${base}/theme.css?v=${fingerprint(theme)}`,
    scheme: defaultTheme === "AUTO" ? "light dark" : defaultTheme === "DARK" ? "dark" : "light",
    favicon,
    images: [logo, logoDark],
    canSendForms: canSubscribe,
    feeds: [
      { type: "application/rss+xml", href: `${base}/feed.rss`, title: `${name} (${texts.rss})` },
      { type: "application/feed+json", href: `${base}/feed.json`, title: `${name} (${texts.json})` },
    ],
    maxAgeSeconds: 10,
    headers: { refresh: "300" },
    body: html`<a class="skip" href="#services">${texts.skip}</a>
${header(settings)}
<main>
${overall(shown)}
${openIncidents(shown)}
${plannedMaintenance(shown)}
<section id="services"><h2 class="hidden">${texts.services}</h2>${shown.cards.map(card)}${shown.cards.every(({ services }) => services.length === 0) && html`<p class="soft">${texts.noServices}</p>`}</section>
${pastIncidents(shown)}
</main>
${footer(base, canSubscribe)}`,
  });
}

/** Where there is no such page. */
export function missingPage(): PageAnswer {
  return publicPage({
    title: texts.missingTitle,
    style: statusStyle({ defaultTheme: "AUTO" }),
    favicon: null,
    images: [],
    status: 404,
    maxAgeSeconds: null,
    body: html`<main class="missing"><h1>${texts.missingTitle}</h1><p class="soft">${texts.missing}</p></main>`,
  });
}

function header(settings: Settings): Html {
  const { name, description } = settings;
  const picture = logo(settings);
  const link = webLink(settings.redirectTo);
  const linked = picture && (link === null ? picture : html`<a href="${link}" rel="noopener noreferrer">${picture}</a>`);
  return html`<header class="page-head"><div class="top">
${linked && html`<div class="logo">${linked}</div>`}
<div class="words"><h1>${name}</h1>${description && html`<p>${description}</p>`}</div>
</div></header>`;
}

/** The picture for the theme that is shown; one of them does for both. */
function logo({ name, logo: light, logoDark, defaultTheme }: Settings): Html | false {
  const [forLight, forDark] = [httpsOnly(light) ?? httpsOnly(logoDark), httpsOnly(logoDark) ?? httpsOnly(light)];
  if (forLight === null || forDark === null) return false;
  if (defaultTheme !== "AUTO") return html`<img src="${defaultTheme === "DARK" ? forDark : forLight}" alt="${name}">`;
  return html`<picture><source srcset="${inSourceSet(forDark)}" media="(prefers-color-scheme: dark)"><img src="${forLight}" alt="${name}"></picture>`;
}

/** In a set of pictures, spaces and commas end an address. */
function inSourceSet(address: string): string {
  return new URL(address).href.replaceAll(",", "%2C");
}

function overall({ cards, maintenances, nowMs }: ShownStatus): Html {
  const services = cards.flatMap((one) => one.services);
  const worst = worstOf(services.flatMap(({ history: { current } }) => (current === null ? [] : [{ severity: current }])));
  const isMaintained = maintenances.some(({ status }) => status !== "SCHEDULED");
  if (services.length === 0) return html``;
  const [tone, text]: readonly [Tone, string] =
    worst !== null
      ? [severityTones[worst], texts.overall[worst]]
      : isMaintained
        ? ["busy", texts.someMaintenance]
        : ["ok", texts.allOperational];
  return html`<section class="card overall ${tone}"><p>${stateLabel(tone, text)}</p><p class="soft">${texts.updated(clockElement(nowMs))}</p></section>`;
}

function card({ name, services }: ShownCard): Html {
  if (services.length === 0) return html``;
  return html`<h2>${name}</h2><ul class="card services">${services.map((service) => html`<li>${serviceRow(service)}</li>`)}</ul>`;
}

function serviceRow({ name, history, isMaintained }: ShownService): Html {
  const [tone, text] = stateOf(history, isMaintained);
  return html`<div class="service"><h3>${name}</h3>${stateLabel(tone, text)}</div>
${dayBars(name, history.days)}
<div class="axis"><span>${texts.daysAgo(historyDays)}</span><span class="rule"></span><span>${
    history.uptime !== null &&
    texts.uptime(percentText(history.uptime), countText(history.days.filter(({ isKnown }) => isKnown).length, "day"))
  }</span><span class="rule"></span><span>${texts.today}</span></div>`;
}

function stateOf({ current }: ServiceHistory, isMaintained: boolean): readonly [Tone, string] {
  if (current !== null) return [severityTones[current], texts.severities[current]];
  return isMaintained ? ["busy", texts.maintenance] : ["ok", texts.operational];
}

function dayBars(name: string, days: readonly HistoryDay[]): Html {
  const step = 100 / days.length;
  const bars = days.map((day, index) => {
    const [tone, outcome] = dayOutcome(day);
    const x = Math.round((index + 0.14) * step * 1_000) / 1_000;
    return html`<rect class="${tone}" x="${x}%" width="${Math.round(step * 720) / 1_000}%" height="100%" rx="1"><title>${texts.dayTitle(dateText(day.startMs), outcome)}</title></rect>`;
  });
  return html`<svg class="days" role="img" aria-label="${labelOf(name, days)}">${bars}</svg>`;
}

function dayOutcome({ worst, struckMs, isKnown }: HistoryDay): readonly [Tone, string] {
  if (worst !== null) return [severityTones[worst], texts.forSome(texts.severities[worst], lengthText(struckMs))];
  return isKnown ? ["ok", texts.noIncident] : ["none", texts.notYet];
}

function labelOf(name: string, days: readonly HistoryDay[]): string {
  const count = (of: readonly HistoryDay[]): string => countText(of.length, "day");
  const quiet = days.filter(({ worst, isKnown }) => worst === null && isKnown);
  const unknown = days.filter(({ isKnown }) => !isKnown);
  const parts = [
    ...(quiet.length > 0 ? [texts.quietDays(count(quiet))] : []),
    ...severities.flatMap((severity) => {
      const struck = days.filter(({ worst }) => worst === severity);
      return struck.length > 0 ? [texts.struckDays(count(struck), texts.severities[severity])] : [];
    }),
    ...(unknown.length > 0 ? [texts.unknownDays(count(unknown))] : []),
  ];
  return texts.historyOf(name, days.length, parts.join(", "));
}

function footer(base: string, canSubscribe: boolean): Html {
  const form = html`<form method="post" action="${base}/subscribe"><p><strong>${texts.subscribe}</strong><br>${texts.subscribeExplanation}</p><div class="row"><label class="hidden" for="address">${texts.address}</label><input id="address" name="address" type="email" maxlength="254" placeholder="${texts.address}" autocomplete="email" required><button>${texts.send}</button></div></form>`;
  return html`<footer class="foot">${canSubscribe && form}
<nav aria-label="${texts.feeds}"><a href="${base}/feed.rss">${texts.rss}</a><a href="${base}/feed.json">${texts.json}</a><a href="${base}/maintenance.ics">${texts.calendar}</a></nav></footer>`;
}
