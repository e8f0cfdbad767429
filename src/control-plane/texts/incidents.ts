import { type Html, html } from "../view/html.ts";
import { countText } from "../view/units.ts";
import { episodeTexts } from "./episodes.ts";
import { incidentStatusTexts } from "./statuses.ts";

/** Every English text of incidents in the console. */
export const incidentTexts = {
  title: "Incidents",
  lead: "Incidents shown on status pages. Checks can open and resolve them automatically.",
  openHeading: "Open",
  noneOpen: "No open incidents.",
  past: "Past",
  counted: (count: number) => countText(count, "past incident"),
  done: {
    opened: "Incident opened. It is shown on every status page with an affected service.",
    updated: "Update published.",
    resolved: "Incident resolved.",
    changed: "Incident saved.",
    corrected: "Update saved.",
    withdrawn: "Update deleted.",
    deleted: "Incident deleted. Status pages no longer show it.",
  },
  severities: { CRITICAL: "Critical", MAJOR: "Major", MEDIUM: "Medium", MINOR: "Minor" },
  /** Of a form: with what readers of status pages see. */
  severityChoice: (severity: string, shown: string) => `${severity}: ${shown.toLowerCase()}`,
  statuses: incidentStatusTexts,
  since: episodeTexts.since,
  began: episodeTexts.began,
  wentOn: (length: string) => `lasted ${length}`,
  updateCount: (count: number) => countText(count, "update"),

  openOne: "New incident",
  aboutOpening: "Shown on every status page with an affected service until it is resolved.",
  noServices: (pages: Html) => html`An incident affects services, and there are none yet. Add the first one ${pages}.`,
  amongPages: "on the Pages page",
  open: "Open incident",

  name: "Name",
  severity: "Severity",
  status: "Status",
  services: "Affected services",
  noServiceChosen: "Choose at least one service.",
  text: "Message",
  notify: "Notify subscribers",
  changeOne: (name: string) => `Edit ${name}`,

  updates: "Updates",
  noUpdates: "No updates yet.",
  newUpdate: "New update",
  addUpdate: "Publish update",
  resolve: "Resolve incident",
  openAgain: "Reopen",
  isBack: "The service is back to normal.",
  sent: "sent to subscribers",
  thisUpdate: "this update",
  delete: (name: string) => `Delete ${name} and its updates? To end it, resolve it instead.`,

  changeUpdate: "Edit update",
  wasSent: "This update was sent to subscribers. Edits are not sent.",
  deleteUpdate: "Delete this update? Status pages will no longer show it.",
  theUpdate: "the update",
} as const;
