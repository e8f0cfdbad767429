import { type Html, html } from "../view/html.ts";
import { countText, durationText } from "../view/units.ts";

/** Every English text of the list of locations, and of a location. */
export const locationTexts = {
  title: "Locations",
  lead: "Your own places that checks run from, and the agents that run them there.",
  removed: "The location is removed; its keys are revoked.",
  missing: "There is no such location; it may have been removed meanwhile.",
  none: "No location yet. Make one, then start an agent there.",
  addHeading: "Add a location",
  name: "Name",
  nameHint: "As people call it: Berlin office",
  shortName: "Short name",
  shortNameHint: "In checks and results, for good: berlin",
  versions: (versions: readonly string[]) => `Version ${versions.join(", ")}`,
  lastSeen: (ago: string) => `Last seen ${ago}`,
  waiting: "Waiting",
  oldestWaits: "Oldest waits",
  running: "Running",
  missed: "Missed, 24 h",
  made: (at: Html): Html => html`made ${at}`,
  through: (proxy: string) => `checks go through ${proxy}`,
  keyRevoked: "The key is revoked.",
  advice: "Advice",
  grades: { now: "Now", soon: "Soon", hint: "Hint" },
  agents: "Agents",
  connected: "Agents connected",
  runsWaiting: "Runs waiting",
  runningNow: "Running now",
  lagP50: "Lag p50, last hour",
  lagP99: "Lag p99, last hour",
  queueHeading: "Queue of the last 24 hours",
  queueSizes: "Runs waiting, the most in 10 minutes",
  queueWaits: "Longest wait in 10 minutes",
  queueSizesLabel: "Runs that waited over the last 24 hours, UTC; the table below has the figures",
  queueWaitsLabel: "The longest wait over the last 24 hours, UTC; the table below has the figures",
  queueTable: "As a table, by hour",
  queueNames: ["Hour from", "Most runs waiting", "Longest wait"],
  clock: (clock: string) => `${clock} UTC`,
  unknown: "–",
  missedHeading: "Missed runs of the last 24 hours",
  missedNames: ["Why", "How many", "Latest", "What helps"],
  missedRuns: (runs: number, checks: number) => `${countText(runs, "run")} of ${countText(checks, "check")}`,
  errorHeading: "Errors of the agents themselves",
  errorNames: ["Error", "Times", "Last", "Agent"],
  where: "Where",
  since: (at: Html): Html => html`since ${at}`,
  onPlatform: (platform: string, nodeVersion: string) => `${platform}, Node.js ${nodeVersion}`,
  latest: (shown: number, total: number) => `The latest ${shown} of ${total}; the REST API lists all of them.`,
  removeHeading: "Remove this location",
  removeHint: "No check may name it any more. Results keep its short name.",
  askRemove: (name: string) => `Remove ${name}? Its keys are revoked, and its agents stop getting work.`,
  remove: "Remove the location",
  noAgent: "No agent yet",
  stopping: "Agents are stopping",
  silent: (length: string) => `Silent for ${length}`,
  behind: "Falls behind",
  stands: (agents: number) => `${countText(agents, "agent")} connected`,
  justNow: "just now",
  ago: (length: string) => `${length} ago`,
  never: "never",
} as const;

/** What should be done about a location; of missed runs why, and what helps. */
export const adviceTexts = {
  noneConnected: (limit: string) =>
    `No agent is connected: runs wait ${limit}, then they are missed. See whether the agents' machines are up; on one of them, outpost doctor says what is wrong.`,
  alone: "One agent alone: while it restarts, runs wait. A second one on another machine takes over.",
  outdated: "Some agents are older than the control plane: bring them to its version.",
  clockOff:
    "The clock of some agents is wrong. Results are right all the same, but certificates may look invalid: start a time service on their machines (chrony, systemd-timesyncd).",
  full: (waited: string, percent: number, limit: string) =>
    `${longWait(waited, percent, limit)} Start another agent that can run it now, or raise JOB_CONCURRENCY.`,
  filling: (waited: string, percent: number, limit: string) =>
    `${longWait(waited, percent, limit)} Plan another agent that can run it, or raise JOB_CONCURRENCY.`,
  missed: {
    no_agent: {
      what: "No agent could run it",
      remedy:
        "Start an agent. Where some are connected, they lack the check's type or the runtime of its scripts: outpost runtime install.",
    },
    no_capacity: {
      what: "All agents were busy",
      remedy: "Start more agents, or raise JOB_CONCURRENCY; or let checks run less often.",
    },
    expired: {
      what: "An agent took it and brought no result in time",
      remedy:
        "See whether agents restart or lose their connection: their errors below, their logs, the network between them and the control plane.",
    },
    agent_lost: {
      what: "Agents were lost while they ran it, three times",
      remedy: "Look for agents killed for lack of memory, and at what this check makes them do.",
    },
    overlap: {
      what: "The run before it had not ended",
      remedy: "Let the check run less often than it takes, or end it sooner with a timeout of its own.",
    },
  },
} as const;

/** The agents of a location. */
export const agentTexts = {
  none: "No agent was heard of in the last 24 hours.",
  stopped: (count: number) => `${countText(count, "agent")} that stopped in the last 24 hours`,
  names: ["Agent", "Version and platform", "Last contact", "Last job executed", "Its own condition", "What it can run"],
  more: (count: number) => `And ${countText(count, "more agent")}.`,
  states: { connected: "connected", stopping: "stopping", stopped: "stopped", silent: "silent" },
  unnamed: "without a name",
  outdated: "older than the control plane",
  platform: (os: string, arch: string, isContainer: boolean) => `${os}/${arch}${isContainer ? ", container" : ""}`,
  nodeVersion: (version: string) => `Node.js ${version}`,
  delivered: "all results delivered",
  undelivered: (count: number) => `${countText(count, "result")} to deliver`,
  loopDelay: (ms: number) => `event loop late by ${durationText(ms)}`,
  clockRight: "clock right to 2 s",
  clockAhead: (length: string) => `clock ${length} ahead`,
  clockBehind: (length: string) => `clock ${length} behind`,
  noSandbox: "no sandbox for scripts",
  sandbox: (level: number) => `sandbox level ${level}`,
  noRuntime: "no runtime",
  runtime: (name: string) => `runtime ${name}`,
  without: (capability: string) => `no ${capability}`,
} as const;

/** Hosts that agents of a location come from. */
export const hostTexts = {
  heading: "Hosts that agents come from",
  none: "No agent opened a session yet.",
  states: { admitted: "admitted", waiting: "waits for you", refused: "refused" },
  about: (first: Html, last: Html): Html => html`first seen ${first}, last ${last}`,
  admit: "Admit",
  refuse: "Refuse",
  forget: "Forget",
  does: (what: string, address: string) => `${what} ${address}`,
  limit: "Hosts admitted by themselves",
  limitHint:
    "So many hosts get in with the key alone, those that come first. Any further one waits until somebody admits it. Empty: every host gets in.",
  limitIs: (limit: number | null) =>
    limit === null
      ? "Every host with the key gets in."
      : `${countText(limit, "host")} get in with the key alone; any further one is admitted by hand.`,
  save: "Save",
  badLimit: "The number of hosts must be a whole number from 0 to 100, or empty.",
} as const;

/** Keys of a location, and how an agent is started with one. */
export const locationKeyTexts = {
  startHeading: "Start an agent with this key",
  shownOnce: (key: Html, url: Html): Html =>
    html`The key ${key} is shown only now. The agent opens all connections: it needs to reach ${url} and nothing has to reach it.`,
  localAddress:
    "That address is of this machine alone. For agents elsewhere put the one that they reach into the lines below, or set PUBLIC_URL.",
  commandsFor: (name: string) => `Commands for ${name}`,
  ways: {
    docker: {
      name: "Docker",
      hint: "Also with podman in place of docker. The image's name begins with your registry, or with localhost/ where it was built or loaded on that machine.",
    },
    compose: {
      name: "Compose",
      hint: "In a folder of Outpost's sources. OUTPOST_REGISTRY names the registry of the image; without it, it is built there.",
    },
    helm: {
      name: "Helm",
      hint: "In a folder of Outpost's sources, or with your registry's oci://…/charts in place of charts. image.registry is the registry of the image.",
    },
  },
  heading: "Keys",
  writeHeading: "Add an agent, replace a key",
  none: "No key: no agent can connect.",
  madeAndUsed: (made: Html, used: string): Html => html`made ${made} · ${used}`,
  unused: "no agent uses it now",
  usedBy: (agents: number) => `${countText(agents, "agent")} ${agents === 1 ? "uses" : "use"} it`,
  most: (count: number) =>
    `Agents share a key: start more with one that you have. A location has at most ${count} keys; revoke one to make another.`,
  mayShare: "Agents may share a key. To replace one: make the second, restart the agents with it, revoke the first.",
  make: "Make a key and show how to start an agent",
  theKey: (maskedKey: string) => `the key ${maskedKey}`,
  askRevoke: "Revoke this key? No agent can connect with it any more.",
  askRevokeUsed: (agents: number) =>
    `Revoke this key? ${countText(agents, "agent")} that connected with it ${agents === 1 ? "loses" : "lose"} the connection within 5 seconds.`,
} as const;

function longWait(waited: string, percent: number, limit: string): string {
  return `In the last hour a run waited ${waited} for an agent, ${percent} % of what is allowed; after ${limit} it is missed.`;
}
