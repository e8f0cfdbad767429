import { type Html, html } from "../view/html.ts";
import { countText } from "../view/units.ts";

/** Every English text of the page of a check. */
export const checkPageTexts = {
  checks: "Checks",
  deactivated: "deactivated",
  muted: "muted",
  runNow: "Run now",
  change: "Change",
  asCode: "As YAML and curl",

  badge: {
    title: "Badge",
    about: "A picture of how the check stands. Anybody may load it without a key; it shows the check's name and state, and nothing else.",
    summary: "Markdown and HTML",
    ofCheck: "The badge of this check",
    ofGroup: "The badge of its group: the worst of the checks in it",
    group: "checks",
  },

  range: {
    label: "Range",
    names: { "1h": "Hour", "24h": "24 hours", "7d": "7 days", "30d": "30 days" },
    other: "From … to …",
    from: "From (UTC)",
    to: "To (UTC)",
    show: "Show",
    until: "to",
    back: "Back to the last day",
    notATime: (given: string) => `“${given}” is no time: give it like 2026-11-22T14:05, in UTC.`,
    noBegin: "From is missing: when does the range begin?",
    inFuture: "From lies in the future.",
    upsideDown: "From must be before To.",
    tooShort: "A range is a minute long, or longer.",
    tooLong: (days: number) => `A range is at most ${days} days long.`,
  },

  places: {
    title: "Locations",
    compare: "Compare",
    leftOut: (shown: number, left: number) =>
      `${shown} locations are drawn at a time, ${left} more ${left === 1 ? "is" : "are"} left out: choose which.`,
  },

  figures: {
    title: "Over time",
    availability: "Availability",
    percentiles: { p50: "p50", p95: "p95", p99: "p99" },
    none: "–",
    nothing: "Nothing was measured in this time.",
    byPlace: "As a table, by location",
    overTime: "As a table, over time",
    tableLabel: "Figures over time",
    location: "Location",
    from: "From",
    phasesOf: "Phases, on average",
    days: (count: number) => countText(count, "day"),
    hops: (count: number) => countText(count, "hop"),
  },

  charts: {
    responseTime: "Response time",
    responseTimeReading: "p50 as a line; bands up to p95 and p99",
    responseTimeLabel: (step: string) => `Response time by location ${step}; the tables below have the figures`,
    availability: "Availability",
    availabilityReading: "runs without failure",
    availabilityLabel: (step: string) => `Availability by location ${step}; the tables below have the figures`,
    phases: "Phases",
    phasesReading: "of a run, on average",
    phasesLabel: (step: string) => `Phases of a run on average ${step}; the tables below have the figures`,
    noPhases: "Phases are drawn of shorter times, and of longer ones by the day.",
    packetLoss: "Packet loss",
    packetLossLabel: (step: string) => `Packet loss by location ${step}; the tables below have the figures`,
    expiry: "Days until the certificate expires",
    expiryLabel: (step: string) => `Days until the certificate expires by location ${step}; the tables below have the figures`,
    hops: "Hops to the target",
    hopsLabel: (step: string) => `Hops to the target, at most, by location ${step}; the tables below have the figures`,
    vitals: {
      LCP: "Largest contentful paint",
      FCP: "First contentful paint",
      TTFB: "Time to first byte",
      TBT: "Total blocking time",
      CLS: "Cumulative layout shift",
    },
    vitalLabel: (title: string, step: string) => `${title}, on average, by location ${step}; the tables below have the figures`,
    eachDays: (days: number) => (days === 1 ? "each day" : `each ${days} days`),
    eachHours: (hours: number) => (hours === 1 ? "each hour" : `each ${hours} hours`),
    eachMinutes: (minutes: number) => (minutes === 1 ? "each minute" : `each ${minutes} minutes`),
    withKeys: (label: string) => `${label}. Arrow keys go from value to value.`,
    utc: (time: string) => `${time} UTC`,
  },

  lanes: {
    errors: "Errors",
    errorsLabel: (count: number) => `${countText(count, "error")} in this time; listed below`,
    alerts: "Alerts",
    alertsLabel: (count: number) => `${countText(count, "alert")} in this time; listed below`,
    incidents: "Incidents",
    incidentsLabel: (count: number) => `${countText(count, "incident")} in this time; listed below`,
    at: (time: string, text: string) => `${time}: ${text}`,
    fromTo: (from: string, to: string, text: string) => `${from} to ${to}: ${text}`,
    atPlace: (text: string, place: string) => `${text}, ${place}`,
  },

  gaps: {
    lane: "No runs",
    label: (count: number) => `${countText(count, "time")} in which slots passed without a run; listed below`,
    reasons: {
      control_plane_down: "no run: the control plane was down",
      store_unavailable: "no run: the control plane could not store",
      clock_jump: "no run: the control plane's clock was set forward",
      check_changed: "no run: the check was changed",
    },
    slots: (count: number) => countText(count, "slot"),
    until: "to",
    mark: (reason: string, slots: string) => `${reason}; ${slots}`,
  },

  runs: {
    noneThen: "It did not run in this time.",
    none: "It has not run yet.",
    ofTime: "Runs of this time",
    latest: "Latest runs",
    columns: ["Started", "Outcome", "Location", "Took", "Error"],
    earlier: "Earlier runs",
    noData: "no data",
    retried: (outcome: string) => `${outcome}, retried`,
    notMeasured: "–",
  },

  run: {
    again: "Look again",
    waiting: "Waiting for an agent",
    running: (count: number) => (count === 1 ? "Running at one location" : `Running at ${count} locations`),
    cancelled: "Cancelled",
    all: "All of it",
    asserted: (source: string, error: string) => `${source}: ${error}`,
  },

  told: {
    errors: "Errors",
    errorColumns: ["Error", "First seen", "Last seen"],
    alerts: "Alerts",
    alertColumns: ["Told at", "What", "Location", "Error"],
    allAlerts: "All alerts of this check",
    incidents: "Incidents",
    incidentColumns: ["Began", "State", "Severity", "Went on for", "Incident"],
    goesOn: "goes on",
    strikes: (service: Html, severity: string) =>
      html`A failure that is told opens an incident of ${service} (${severity.toLowerCase()}), and its recovery resolves it.`,
    struckIsGone: "Its failures should open incidents of a service that is gone: change the check to choose another one.",
  },
} as const;
