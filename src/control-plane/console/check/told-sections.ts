import { type Html, html } from "../../pages/html.ts";
import { stateLabel } from "../../pages/public/state-label.ts";
import { timeElement } from "../../pages/public/units.ts";
import { saidBy } from "../alerts/said-by.ts";
import { part } from "../result/facts.ts";
import { table } from "../table.ts";
import type { CheckView } from "./check-view.ts";

export function errorSection({ errors }: CheckView): Html {
  const open = errors.filter(({ archivedUntilNextEvent }) => !archivedUntilNextEvent);
  if (open.length === 0) return html``;
  const rows = open.map(
    ({ cleanedErrorMessage, firstSeen, lastSeen }) =>
      html`<tr><td class="free">${cleanedErrorMessage}</td><td>${timeElement(Date.parse(firstSeen))}</td><td>${timeElement(Date.parse(lastSeen))}</td></tr>`,
  );
  return part("Errors", table(["Error", "First seen", "Last seen"], rows));
}

export function alertSection({ check, alerts }: CheckView): Html {
  if (alerts.length === 0) return html``;
  const rows = alerts.map((alert) => {
    const { tone, text } = saidBy(alert);
    const { created_at: at, runLocation, error } = alert;
    return html`<tr><td>${timeElement(Date.parse(at))}</td><td>${stateLabel(tone, text)}</td><td>${runLocation}</td><td class="free">${error}</td></tr>`;
  });
  return part(
    "Alerts",
    table(["Told at", "What", "Location", "Error"], rows),
    html`<p class="pages"><a href="/alerts?check=${check.id}">All alerts of this check</a></p>`,
  );
}
