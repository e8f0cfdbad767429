import type { CheckState } from "#domain/check-state.ts";
import { type Html, html } from "../view/html.ts";
import { countText } from "../view/units.ts";

/** How a check stands, and where and why it does not pass: the same words in the list, on its page and on dashboards. */
export const checkStateTexts = {
  states: { failing: "Failing", degraded: "Degraded", "no data": "No data", passing: "Passing" } satisfies Readonly<
    Record<CheckState, string>
  >,
  /** `Failing at Lyon office (1 of 3)` */
  atPlaces: (state: string, places: readonly string[], of: number) => {
    if (places.length === of) return of === 2 ? `${state} at both locations` : `${state} at all ${of} locations`;
    return places.length > 2
      ? `${state} at ${places.length} of ${of} locations`
      : `${state} at ${places.join(", ")} (${places.length} of ${of})`;
  },
  /** For everybody: without names. */
  atSome: (state: string, places: number, of: number) => `${state} (${places} of ${of} locations)`,
  unknownError: "No error message",
  since: (since: Html): Html => html`since ${since}`,
  runs: (count: number) => `${countText(count, "run")} in a row`,
  lastGood: (at: Html): Html => html`last passing run ${at}`,
  view: "View run",
  viewAlert: "View alert",
  openIncident: "Open incident",
  notices: {
    paused: { check: "paused", group: "paused by its group" },
    muted: { check: "muted", group: "muted by its group" },
    mutedUntil: { check: (time: Html) => html`muted until ${time}`, group: (time: Html) => html`muted by its group until ${time}` },
    maintenance: (until: Html, window: string, does: string) => html`in maintenance until ${until} (${window}: ${does})`,
    planned: (from: Html, until: Html, window: string, does: string) =>
      html`maintenance planned from ${from} to ${until} (${window}: ${does})`,
    /** For everybody: without the window's name. */
    inMaintenance: (until: Html) => html`in maintenance until ${until}`,
    does: { both: "no runs, no alerts", pauses: "no runs", silences: "no alerts" },
    noAgent: (places: readonly string[]) =>
      places.length > 3 ? `no agent connected at any of its ${places.length} locations` : `no agent connected at ${places.join(", ")}`,
    noAgentSince: (noAgent: string, since: Html) => html`${noAgent} since ${since}`,
    firstRun: (at: Html, within: string) => html`first run at ${at}, in ${within}`,
    firstRunAt: (at: Html) => html`first run at ${at}`,
    firstRunNow: "first run is due now",
    code: (project: string) => `owned by code: ${project}`,
  },
} as const;
