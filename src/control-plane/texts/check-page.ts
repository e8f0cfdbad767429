import { type Html, html } from "../view/html.ts";
import { countText } from "../view/units.ts";

/** Every English text of the page of a check. */
export const checkPageTexts = {
  checks: "Checks",
  deactivated: "inactive",
  muted: "muted",
  runNow: "Run now",
  change: "Edit",
  asCode: "View as code",

  switches: {
    names: { deactivate: "Deactivate", activate: "Activate", mute: "Mute", unmute: "Unmute" },
    done: {
      deactivate: "Check deactivated. It does not run until you activate it again.",
      activate: "Check activated.",
      mute: "Check muted. It runs, but sends no alerts until you unmute it.",
      unmute: "Check unmuted.",
    },
  },

  badge: {
    title: "Badge",
    about: "An image with the check's current state. Anyone can load it without a key. It shows only the check's name and state.",
    summary: "Markdown and HTML",
    ofCheck: "Badge of this check",
    ofGroup: "Badge of its group: the worst state of its checks",
    group: "checks",
  },

  range: {
    label: "Range",
    names: { "1h": "Hour", "24h": "24 hours", "7d": "7 days", "30d": "30 days" },
    other: "Custom range",
    from: "From (UTC)",
    to: "To (UTC)",
    show: "Show",
    until: "to",
    back: "Back to the last 24 hours",
    notATime: (given: string) => `“${given}” is not a valid time. Use the form 2026-11-22T14:05 (UTC).`,
    noBegin: "Enter a start time.",
    inFuture: "The start is in the future.",
    upsideDown: "The start must be before the end.",
    tooShort: "A range must be at least one minute long.",
    tooLong: (days: number) => `A range can be at most ${days} days long.`,
  },

  places: {
    title: "Locations",
    compare: "Compare",
    leftOut: (shown: number, left: number) =>
      `The charts show ${shown} locations at a time; ${left} more ${left === 1 ? "is" : "are"} hidden. Choose which to show.`,
  },

  figures: {
    title: "Over time",
    availability: "Availability",
    percentiles: { p50: "p50", p95: "p95", p99: "p99" },
    none: "–",
    nothing: "No measurements in this range.",
    byPlace: "Table by location",
    overTime: "Table over time",
    tableLabel: "Figures over time",
    location: "Location",
    coverage: {
      share: (percent: string) => `Coverage: ${percent} of due runs were executed`,
      columns: ["Location", "Due", "Executed", "Missed", "Unknown"],
      whole: "All",
    },
    from: "From",
    phasesOf: "Average phases",
    days: (count: number) => countText(count, "day"),
    hops: (count: number) => countText(count, "hop"),
  },

  charts: {
    responseTime: "Response time",
    responseTimeReading: "p50 as a line, bands up to p95 and p99",
    responseTimeLabel: (step: string) => `Response time by location ${step}; the tables below have the figures`,
    availability: "Availability",
    availabilityReading: "share of runs that did not fail",
    availabilityLabel: (step: string) => `Availability by location ${step}; the tables below have the figures`,
    phases: "Phases",
    phasesReading: "average per run",
    phasesLabel: (step: string) => `Average phases of a run ${step}; the tables below have the figures`,
    noPhases: "Phases are not available for this range. Choose a shorter range, or one of several days.",
    packetLoss: "Packet loss",
    packetLossLabel: (step: string) => `Packet loss by location ${step}; the tables below have the figures`,
    expiry: "Days until the certificate expires",
    expiryLabel: (step: string) => `Days until the certificate expires by location ${step}; the tables below have the figures`,
    hops: "Hops to the target",
    hopsLabel: (step: string) => `Maximum hops to the target by location ${step}; the tables below have the figures`,
    vitals: {
      LCP: "Largest contentful paint",
      FCP: "First contentful paint",
      TTFB: "Time to first byte",
      TBT: "Total blocking time",
      CLS: "Cumulative layout shift",
    },
    vitalLabel: (title: string, step: string) => `Average ${title} by location ${step}; the tables below have the figures`,
    eachDays: (days: number) => (days === 1 ? "per day" : `per ${days} days`),
    eachHours: (hours: number) => (hours === 1 ? "per hour" : `per ${hours} hours`),
    eachMinutes: (minutes: number) => (minutes === 1 ? "per minute" : `per ${minutes} minutes`),
    withKeys: (label: string) => `${label}. Use the arrow keys to move between values.`,
    utc: (time: string) => `${time} UTC`,
  },

  lanes: {
    errors: "Errors",
    errorsLabel: (count: number) => `${countText(count, "error")} in this range; listed below`,
    alerts: "Alerts",
    alertsLabel: (count: number) => `${countText(count, "alert")} in this range; listed below`,
    incidents: "Incidents",
    incidentsLabel: (count: number) => `${countText(count, "incident")} in this range; listed below`,
    at: (time: string, text: string) => `${time}: ${text}`,
    fromTo: (from: string, to: string, text: string) => `${from} to ${to}: ${text}`,
    atPlace: (text: string, place: string) => `${text}, ${place}`,
  },

  runs: {
    noneThen: "No runs in this range.",
    none: "No runs yet.",
    ofTime: "Runs in this range",
    latest: "Latest runs",
    columns: ["Started", "Outcome", "Location", "Duration", "Error"],
    earlier: "Earlier runs",
    noData: "no data",
    retried: (outcome: string) => `${outcome}, retried`,
    notMeasured: "–",
  },

  run: {
    again: "Refresh",
    waiting: "Waiting for an agent",
    running: (count: number) => (count === 1 ? "Running at one location" : `Running at ${count} locations`),
    cancelled: "Cancelled",
    all: "View run",
    asserted: (source: string, error: string) => `${source}: ${error}`,
  },

  told: {
    errors: "Errors",
    errorColumns: ["Last seen", "First seen", "Failed runs, 24 hours", "Error"],
    ofNewest: (runs: number, of: number) => `${runs} of the last ${of}`,
    alerts: "Alerts",
    alertColumns: ["Sent", "Alert", "Location", "Error"],
    allAlerts: "All alerts of this check",
    incidents: "Incidents",
    incidentColumns: ["Started", "State", "Severity", "Duration", "Incident"],
    goesOn: "ongoing",
    strikes: (service: Html, severity: string) =>
      html`A failure alert opens an incident on ${service} (${severity.toLowerCase()}); recovery resolves it.`,
    struckIsGone: "The service for this check's incidents was deleted. Edit the check to choose another one.",
  },
} as const;
