import { type Html, html } from "../view/html.ts";
import { countText } from "../view/units.ts";
import { incidentStatusTexts } from "./statuses.ts";

/** Every English text of incidents in the console. */
export const incidentTexts = {
  title: "Incidents",
  lead: "What status pages tell of their services. Checks open incidents by themselves where they are set to.",
  openHeading: "Open",
  noneOpen: "There is no open incident.",
  past: "Past",
  counted: (count: number) => countText(count, "past incident"),
  done: {
    opened: "The incident is open; every status page that has one of its services shows it.",
    updated: "The update is told.",
    resolved: "The incident is resolved.",
    changed: "The incident is changed.",
    corrected: "The update is changed.",
    withdrawn: "The update is deleted.",
    deleted: "The incident is deleted; no status page shows it any more.",
  },
  severities: { CRITICAL: "Critical", MAJOR: "Major", MEDIUM: "Medium", MINOR: "Minor" },
  statuses: incidentStatusTexts,
  wentOn: (length: string) => `went on for ${length}`,
  updateCount: (count: number) => countText(count, "update"),

  openOne: "Open an incident",
  aboutOpening: "Every status page that has one of its services shows it, until an update says that it is resolved.",
  noServices: (pages: Html) => html`An incident strikes services, and there is none yet. Make the first one ${pages}.`,
  amongPages: "among the pages",
  open: "Open the incident",

  name: "Name",
  severity: "Severity",
  status: "Status",
  services: "Services that it strikes",
  noServiceChosen: "Choose one service at least.",
  text: "What people should know",
  notify: "Send it to subscribers",
  changeOne: (name: string) => `Change ${name}`,

  updates: "Updates",
  noUpdates: "Nothing was told yet.",
  newUpdate: "New update",
  addUpdate: "Add the update",
  resolve: "Resolve the incident",
  openAgain: "Open it again",
  isBack: "It is back",
  sent: "sent to subscribers",
  thisUpdate: "this update",
  delete: (name: string) => `Delete ${name} with its updates? To say that it is over, resolve it.`,

  changeUpdate: "Change an update",
  wasSent: "It was sent to subscribers; the change is not.",
  deleteUpdate: "Delete this update? Pages tell it no more.",
  theUpdate: "the update",
} as const;
