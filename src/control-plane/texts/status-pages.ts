import type { Severity } from "#domain/service-history.ts";
import { type Html, html } from "../view/html.ts";
import { incidentStatusTexts, maintenanceStatusTexts } from "./statuses.ts";

/** What incidents are to readers, and what maintenance may be. */
export const severityTexts = {
  CRITICAL: "Major outage",
  MAJOR: "Partial outage",
  MEDIUM: "Degraded performance",
  MINOR: "Minor disruption",
} as const satisfies Record<Severity, string>;

/** Every English text of status pages and their feeds. */
export const statusPageTexts = {
  /** As feeds name it. */
  language: "en",
  missingTitle: "Not found",
  missing: "There is no status page at this address.",
  skip: "Skip to the services",
  operational: "Operational",
  maintenance: "Under maintenance",
  severities: severityTexts,
  /** Of maintenance. */
  expected: (severity: Severity) => `Expect: ${severityTexts[severity].toLowerCase()}`,
  allOperational: "All systems operational",
  someMaintenance: "Maintenance in progress",
  overall: {
    CRITICAL: "Major outage",
    MAJOR: "Partial outage",
    MEDIUM: "Degraded performance",
    MINOR: "Minor disruption",
  } satisfies Record<Severity, string>,
  updated: (clock: Html) => html`Updated ${clock}`,
  openIncidents: "Active incidents",
  services: "Services",
  noServices: "No services to show yet.",
  uptime: (share: string, days: string) => `${share} uptime in ${days}`,
  daysAgo: (days: number) => `${days} days ago`,
  today: "today",
  historyOf: (name: string, days: number, parts: string) => `${name}, last ${days} days: ${parts}`,
  quietDays: (count: string) => `${count} without incidents`,
  struckDays: (count: string, what: string) => `${count} with ${what.toLowerCase()}`,
  unknownDays: (count: string) => `${count} before it was added`,
  dayTitle: (day: string, outcome: string) => `${day}: ${outcome}`,
  noIncident: "no incidents",
  notYet: "no data yet",
  forSome: (what: string, length: string) => `${what.toLowerCase()} for ${length}`,
  affects: "Affects",
  affectsAll: (names: readonly string[]) => `Affects: ${names.join(", ")}`,
  scheduled: "Planned maintenance",
  past: "Past incidents",
  quiet: "No incidents.",
  stillOpen: "Active incident",
  since: (time: Html) => html`Since ${time}`,
  sinceAndLasted: (time: Html, length: string) => html`Began ${time} · lasted ${length}`,
  until: "to",
  from: (span: Html) => html`From ${span}`,
  fromTo: (from: string, to: string) => `From ${from} to ${to}.`,
  /** In feeds: an update, and the name of what it is about. */
  told: (status: string, moment: string, description: string) => `${status} (${moment}): ${description}`,
  titled: (status: string, name: string) => `${status}: ${name}`,
  sentence: (text: string) => `${text}.`,
  statuses: incidentStatusTexts,
  maintenanceStatuses: maintenanceStatusTexts,
  subscribe: "Get updates",
  subscribeExplanation: "Receive a mail when an incident starts, changes or ends, and about maintenance.",
  address: "E-mail address",
  send: "Subscribe",
  feeds: "Feeds",
  rss: "RSS",
  json: "JSON",
  calendar: "Maintenance calendar (iCal)",
} as const;
