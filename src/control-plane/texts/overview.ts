import { type Html, html } from "../view/html.ts";
import { countText } from "../view/units.ts";
import { checkPageTexts } from "./check-page.ts";

/** Every English text of the list of checks. */
export const overviewTexts = {
  title: "Checks",
  /** Of the tab: what fails is seen without opening it. */
  tabTitle: (failing: number) => (failing === 0 ? "Checks" : `(${failing}) Checks`),
  states: { failing: "Failing", degraded: "Degraded", "no data": "No data", passing: "Passing", deactivated: "Paused" },
  statesLabel: "States",
  nothingFound: "No checks match.",
  showAll: "Show all checks",

  words: "Name, address, tag, location, group or id",
  search: "Search name, address, tag, location",
  sort: "Sort",
  attentionFirst: "Sort: attention first",
  sorts: { name: "Sort: name", oldest: "Sort: oldest run first" },
  grouping: "Group by",
  noGrouping: "None",
  groupings: { group: "Group", tag: "Tag", location: "Location", type: "Type" },
  sections: {
    label: "Fold",
    openAll: "Unfold all",
    foldAll: "Fold all",
    continued: "continued",
    failing: (failing: number, all: number) => `${failing.toLocaleString("en-US")} of ${all.toLocaleString("en-US")} failing`,
    available: (percent: string) => `${percent} available in 24 h`,
    noRuns: "no runs in 24 h",
    muted: (count: number) => `${count.toLocaleString("en-US")} muted`,
    only: "Show only these",
    without: { group: "No group", tag: "No tags", location: "No location", type: "No type" },
  },
  type: "Type",
  group: "Group",
  tag: "Tag",
  all: (what: string) => `${what}: any`,
  show: "Show",
  newCheck: "New check",

  views: { label: "View", list: "List", matrix: "Matrix" },
  matrix: {
    label: "State of each check at each location",
    check: "Check",
    notRun: "No runs",
    notThere: "does not run here",
    cell: (check: string, location: string, state: string) => `${check} at ${location}: ${state}`,
  },
  byError: (count: number, isMore: boolean) =>
    `${countText(count, isMore ? "more check" : "check")} ${count === 1 ? "matches by its error" : "match by their errors"}`,
  saved: {
    label: "Saved views",
    save: "Save this view",
    name: "Name of the view",
    nameHint: "Everyone in the account sees it.",
    submit: "Save",
    drop: (name: string) => `Delete the view “${name}”`,
    noName: "Enter a name of 1 to 60 characters.",
    taken: "Another saved view has this name.",
    tooMany: (most: number) => `An account keeps at most ${most} saved views. Delete one first.`,
  },

  up: "Availability",
  p50: "p50",
  p95: "p95",
  none: "–",
  actsOf: (name: string) => `Actions for ${name}`,
  delete: "Delete",
  done: { ...checkPageTexts.switches.done, delete: "Check deleted." },
  neverRan: "no runs yet",

  pages: "Pages of checks",
  previous: "Previous",
  next: "Next",
  pageOf: (page: number, pages: number, checks: number) => `Page ${page} of ${pages}, ${countText(checks, "check")}`,

  noChecks: "No checks yet",
  command: "outpost import",
  bring: (command: Html) => html`Import existing checks: ${command} reads OpenAPI documents, curl commands, and
blackbox_exporter and Gatus configurations.`,
  makeOrBring: (
    form: Html,
    api: Html,
    command: Html,
  ) => html`${form}, use the ${api}, or import existing checks: ${command} reads OpenAPI documents, curl commands, and
blackbox_exporter and Gatus configurations.`,
  makeFirst: "Create your first check",
  restApi: "REST API",

  keys: "Keyboard shortcuts",
  keysOf: {
    "/": "go to search",
    j: "next check",
    k: "previous check",
    Enter: "open the check",
    "?": "show these shortcuts",
    Esc: "close",
  },
  close: "Close",
} as const;
