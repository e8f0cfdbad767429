import { type Html, html } from "../view/html.ts";
import { countText, durationText } from "../view/units.ts";

/** Every English text of the list of locations, and of a location. */
export const locationTexts = {
  title: "Locations",
  lead: "Private locations that checks run from, and their agents.",
  removed: "Location deleted. Its keys are revoked.",
  missing: "This location does not exist. It may have been deleted.",
  none: "No locations yet. Create one, then start an agent there.",
  addHeading: "Add a location",
  name: "Name",
  nameHint: "Display name, such as Berlin office",
  shortName: "Slug",
  shortNameHint: "Identifies the location in checks and results, such as berlin. Cannot be changed.",
  versions: (versions: readonly string[]) => `Version ${versions.join(", ")}`,
  lastSeen: (ago: string) => `Last seen ${ago}`,
  waiting: "Queued",
  oldestWaits: "Oldest queued",
  running: "Running",
  missed: "Missed, 24 h",
  made: (at: Html): Html => html`created ${at}`,
  through: (proxy: string) => `checks use the proxy ${proxy}`,
  keyRevoked: "Key revoked.",
  advice: "Advice",
  grades: { now: "Now", soon: "Soon", hint: "Hint" },
  agents: "Agents",
  connected: "Agents connected",
  runsWaiting: "Queued runs",
  runningNow: "Running now",
  lagP50: "Lag p50, last hour",
  lagP99: "Lag p99, last hour",
  queueHeading: "Queue, last 24 hours",
  queueSizes: "Queued runs, maximum per 10 minutes",
  queueWaits: "Longest wait per 10 minutes",
  queueSizesLabel: "Queued runs over the last 24 hours, UTC; the table below has the figures",
  queueWaitsLabel: "The longest wait over the last 24 hours, UTC; the table below has the figures",
  queueTable: "Table by hour",
  queueNames: ["Hour (UTC)", "Most queued runs", "Longest wait"],
  clock: (clock: string) => `${clock} UTC`,
  unknown: "–",
  missedHeading: "Missed runs, last 24 hours",
  missedNames: ["Reason", "Count", "Latest", "What to do"],
  missedRuns: (runs: number, checks: number) => `${countText(runs, "run")} of ${countText(checks, "check")}`,
  errorHeading: "Agent errors",
  errorNames: ["Error", "Count", "Last", "Agent"],
  where: "Where",
  since: (at: Html): Html => html`since ${at}`,
  onPlatform: (platform: string, nodeVersion: string) => `${platform}, Node.js ${nodeVersion}`,
  latest: (shown: number, total: number) => `Showing the latest ${shown} of ${total}. The REST API lists all of them.`,
  checksHere: "Checks at this location",
  removeHeading: "Delete this location",
  removeHint: "Checks can no longer use it. Results keep its slug.",
  askRemove: (name: string) => `Delete ${name}? Its keys are revoked and its agents get no more work.`,
  inUse: "Checks or groups use this location. You can delete it once they no longer do:",
  moreUsers: "And more checks at this location",
  stays: "The location was not deleted, because checks or groups use it.",
  remove: "Delete location",
  noAgent: "No agent yet",
  stopping: "Agents are stopping",
  silent: (length: string) => `No contact for ${length}`,
  behind: "Falling behind",
  stands: (agents: number) => `${countText(agents, "agent")} connected`,
  justNow: "just now",
  ago: (length: string) => `${length} ago`,
  never: "never",
} as const;

/** What should be done about a location; of missed runs why, and what helps. */
export const adviceTexts = {
  noneConnected: (limit: string) =>
    `No agent is connected. Runs wait ${limit} and are then missed. Check that the agents' machines are up, and run outpost doctor on one of them.`,
  alone: "Only one agent: runs wait while it restarts. Add a second agent on another machine.",
  outdated: "Some agents are older than the control plane. Upgrade them to its version.",
  clockOff:
    "The clock of some agents is wrong. Results are corrected, but certificates may look invalid. Run a time service on their machines (chrony, systemd-timesyncd).",
  full: (waited: string, percent: number, limit: string) =>
    `${longWait(waited, percent, limit)} Start another agent now, or raise JOB_CONCURRENCY.`,
  filling: (waited: string, percent: number, limit: string) =>
    `${longWait(waited, percent, limit)} Plan another agent, or raise JOB_CONCURRENCY.`,
  missed: {
    no_agent: {
      what: "No agent could run it",
      remedy: "Start an agent. If agents are connected, they do not support the check type or lack its runtime: outpost runtime install.",
    },
    no_capacity: {
      what: "All agents were busy",
      remedy: "Start more agents, raise JOB_CONCURRENCY, or run checks less often.",
    },
    expired: {
      what: "An agent started it but delivered no result in time",
      remedy:
        "Check whether agents restart or lose their connection: see the agent errors below, their logs, and the network to the control plane.",
    },
    agent_lost: {
      what: "Agents disconnected while running it, three times",
      remedy: "Look for agents killed for lack of memory, and check what this check does.",
    },
    overlap: {
      what: "The previous run had not finished",
      remedy: "Run the check less often, or give it a shorter timeout.",
    },
  },
} as const;

/** The agents of a location. */
export const agentTexts = {
  none: "No agent connected in the last 24 hours.",
  stopped: (count: number) => `${countText(count, "agent")} stopped in the last 24 hours`,
  names: ["Agent", "Version and platform", "Last contact", "Last job", "Condition", "Capabilities"],
  more: (count: number) => `And ${countText(count, "more agent")}.`,
  states: { connected: "connected", stopping: "stopping", stopped: "stopped", silent: "no contact" },
  unnamed: "unnamed",
  outdated: "older than the control plane",
  platform: (os: string, arch: string, isContainer: boolean) => `${os}/${arch}${isContainer ? ", container" : ""}`,
  nodeVersion: (version: string) => `Node.js ${version}`,
  delivered: "all results delivered",
  undelivered: (count: number) => `${countText(count, "result")} waiting to be delivered`,
  loopDelay: (ms: number) => `event loop delay ${durationText(ms)}`,
  clockRight: "clock within 2 s",
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
  heading: "Agent hosts",
  none: "No agent has connected yet.",
  states: { admitted: "admitted", waiting: "waiting for approval", refused: "refused" },
  about: (first: Html, last: Html): Html => html`first seen ${first}, last ${last}`,
  admit: "Admit",
  refuse: "Refuse",
  forget: "Forget",
  does: (what: string, address: string) => `${what} ${address}`,
  limit: "Automatically admitted hosts",
  limitHint:
    "The first hosts up to this number are admitted with the key alone. Others wait for approval. Leave empty to admit every host.",
  limitIs: (limit: number | null) =>
    limit === null
      ? "Every host with the key is admitted."
      : `${countText(limit, "host")} admitted with the key alone; others need approval.`,
  save: "Save",
  badLimit: "Enter a whole number from 0 to 100, or leave empty.",
} as const;

/** Keys of a location, and how an agent is started with one. */
export const locationKeyTexts = {
  startHeading: "Start an agent with this key",
  shownOnce: (key: Html, url: Html): Html =>
    html`The key ${key} is shown only once. The agent makes outbound connections only: it must reach ${url}, and needs no inbound access.`,
  localAddress:
    "That address works on this machine only. For agents elsewhere, replace it below with an address they can reach, or set PUBLIC_URL.",
  commandsFor: (name: string) => `Commands for ${name}`,
  ways: {
    docker: {
      name: "Docker",
      hint: "Also works with podman. Prefix the image with your registry, or with localhost/ if it was built or loaded on that machine.",
    },
    compose: {
      name: "Compose",
      hint: "Run in a checkout of Outpost. OUTPOST_REGISTRY sets the image registry; without it, the image is built locally.",
    },
    helm: {
      name: "Helm",
      hint: "Run in a checkout of Outpost, or replace charts with your registry's oci://…/charts. image.registry sets the image registry.",
    },
  },
  heading: "Keys",
  writeHeading: "Add an agent or replace a key",
  none: "No keys: agents cannot connect.",
  madeAndUsed: (made: Html, used: string): Html => html`created ${made} · ${used}`,
  unused: "not in use",
  usedBy: (agents: number) => `${countText(agents, "agent")} connected with it`,
  most: (count: number) => `Agents can share a key. A location has at most ${count} keys; revoke one to create another.`,
  mayShare: "Agents can share a key. To replace a key, create a new one, restart the agents with it, then revoke the old one.",
  make: "Create key and show how to start an agent",
  theKey: (maskedKey: string) => `the key ${maskedKey}`,
  askRevoke: "Revoke this key? Agents can no longer connect with it.",
  askRevokeUsed: (agents: number) =>
    `Revoke this key? ${countText(agents, "agent")} connected with it will be disconnected within 5 seconds.`,
} as const;

function longWait(waited: string, percent: number, limit: string): string {
  return `In the last hour a run waited ${waited} for an agent, ${percent} % of the limit of ${limit}.`;
}
