import { type Html, html } from "../view/html.ts";
import { countText } from "../view/units.ts";

/** Every English text of the list of checks. */
export const overviewTexts = {
  title: "Checks",
  states: { failing: "Failing", degraded: "Degraded", "no data": "No data", passing: "Passing", deactivated: "Off" },
  statesLabel: "States",
  nothingFound: "No check is like that.",
  showAll: "Show all of them",

  words: "Words of the name",
  search: "Search checks",
  type: "Type",
  group: "Group",
  tag: "Tag",
  all: (what: string) => `${what}: all`,
  show: "Show",
  newCheck: "New check",

  up: "Up",
  p50: "p50",
  p95: "p95",
  none: "–",
  muted: "muted",
  neverRan: "never ran",

  pages: "Pages of checks",
  previous: "Previous",
  next: "Next",
  pageOf: (page: number, pages: number, checks: number) => `Page ${page} of ${pages}, ${countText(checks, "check")}`,

  noChecks: "No checks yet",
  command: "outpost import",
  bring: (command: Html) => html`Bring what you have: ${command} takes OpenAPI documents, curl commands and
configurations of blackbox_exporter and Gatus.`,
  makeOrBring: (
    form: Html,
    api: Html,
    command: Html,
  ) => html`${form}, make it over the ${api}, or bring what you have: ${command} takes OpenAPI documents, curl commands and
configurations of blackbox_exporter and Gatus.`,
  makeFirst: "Create the first one",
  restApi: "REST API",

  keys: "Keys",
  keysOf: {
    "/": "to the search",
    j: "to the next check",
    k: "to the one before",
    Enter: "opens the check",
    "?": "shows these keys",
    Esc: "closes them",
  },
  close: "Close",
} as const;
