import { checkPageTexts } from "../../texts/check-page.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { lengthText, numberText, rowTimeElement } from "../../view/units.ts";
import { saidBy } from "../alerts/said-by.ts";
import { part } from "../facts.ts";
import { beganAt, incidentState, severityText } from "../incidents/incident-words.ts";
import { table } from "../table.ts";
import { failuresAtMost, type Measured, type StruckService } from "./measured.ts";

const texts = checkPageTexts.told;
const minuteMs = 60_000;

/** Errors, alerts and incidents, as far as there are any. */
export function toldPart(view: Measured): Html {
  return html`<div id="told">${errorSection(view)}
${alertSection(view)}
${incidentSection(view)}</div>`;
}

function errorSection({ check, errors, failures }: Measured): Html {
  const open = errors.filter(({ archivedUntilNextEvent }) => !archivedUntilNextEvent);
  if (open.length === 0) return html``;
  const rows = open.map(({ id, rawErrorMessage, cleanedErrorMessage, firstSeen, lastSeen }) => {
    const runs = failures.filter(({ errorGroupIds }) => errorGroupIds.includes(id));
    const [newest] = runs;
    const last = rowTimeElement(Date.parse(lastSeen));
    const lastMs = Date.parse(lastSeen);
    const then = `?from=${lastMs - minuteMs}&to=${lastMs + minuteMs}`;
    const view = html`<a href="/checks/${check.id}${newest === undefined ? then : `/results/${newest.id}`}">${last}</a>`;
    const count = failures.length === failuresAtMost ? texts.ofNewest(runs.length, failuresAtMost) : numberText(runs.length);
    return html`<tr><td class="at">${view}</td><td>${rowTimeElement(Date.parse(firstSeen))}</td><td>${count}</td><td class="free">${rawErrorMessage ?? cleanedErrorMessage}</td></tr>`;
  });
  return part(texts.errors, table(texts.errorColumns, rows, "stacked", true));
}

function alertSection({ check, alerts }: Measured): Html {
  if (alerts.length === 0) return html``;
  const rows = alerts.map((alert) => {
    const { tone, text } = saidBy(alert);
    const { created_at: at, runLocation, error, checkResultId } = alert;
    const time = rowTimeElement(Date.parse(at));
    const told = checkResultId === null ? time : html`<a href="/checks/${check.id}/results/${checkResultId}">${time}</a>`;
    return html`<tr><td class="at">${told}</td><td>${stateLabel(tone, text)}</td><td>${runLocation}</td><td class="free">${error}</td></tr>`;
  });
  return part(
    texts.alerts,
    table(texts.alertColumns, rows, "stacked", true),
    html`<p class="pages"><a href="/alerts?check=${check.id}">${texts.allAlerts}</a></p>`,
  );
}

/** Of the status page's service that the check is bound to. */
function incidentSection({ incidents, struck }: Measured): Html {
  if (struck === null) return html``;
  const rows = incidents.slice(0, 10).map((incident) => {
    const { tone, text } = incidentState(incident);
    const { id, name, severity, duration } = incident;
    return html`<tr><td>${rowTimeElement(beganAt(incident))}</td><td>${stateLabel(tone, text)}</td><td>${severityText(severity)}</td><td>${duration === null ? texts.goesOn : lengthText(duration)}</td><td class="free"><a href="/incidents/${id}">${name}</a></td></tr>`;
  });
  return part(texts.incidents, struckLine(struck), rows.length === 0 ? html`` : table(texts.incidentColumns, rows, "stacked", true));
}

function struckLine({ name, severity }: StruckService): Html {
  if (name === null) return html`<p class="hint">${texts.struckIsGone}</p>`;
  return html`<p class="hint">${texts.strikes(html`<a href="/pages#services">${name}</a>`, severityText(severity))}</p>`;
}
