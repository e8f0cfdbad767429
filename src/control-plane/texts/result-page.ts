import type { CheckResult } from "#contract/check-results.ts";
import { type Html, html } from "../view/html.ts";

type MissedReason = NonNullable<CheckResult["missedReason"]>;
type FileType = CheckResult["assets"][number]["type"];

/** English texts of the page of a run: how it went, whatever was checked. What it saw has texts of its own (`result-seen.ts`). */
export const resultPageTexts = {
  checks: "Checks",
  title: (check: string) => `Run of ${check}`,
  heading: "Run at",
  attempt: (number: number) => `attempt ${number}`,
  outcomes: { missed: "missed", cancelled: "cancelled", failed: "failed", degraded: "degraded", passed: "passed" },

  about: (usual: string) => `as usual (7-day median: ${usual})`,
  faster: (percent: number, usual: string) => `${percent} % faster than usual (7-day median: ${usual})`,
  slower: (percent: number, usual: string) => `${percent} % slower than usual (7-day median: ${usual})`,
  times: (times: string, usual: string) => `${times} × as long as usual (7-day median: ${usual})`,
  overLimit: "over the limit",
  agentSide: (error: string) => `${error} The problem was on the agent's side: it says nothing about the target, and no alerts are sent.`,
  storedLate: (at: Html) => html`Received at ${at}, after a newer run at this location. It counts in the figures but sent no alerts.`,
  startedLate: (late: string) => `started ${late} late`,
  requestError: "Request error",
  missed: {
    no_agent: "Not run: no agent at the location could run it.",
    no_capacity: "Not run: all agents at the location were busy.",
    expired: "No result: an agent started it but delivered no result in time.",
    agent_lost: "No result: the agent disconnected during the run.",
    overlap: "Not run: the previous run had not finished when this one was due.",
  } satisfies Record<MissedReason, string>,

  lastPassing: {
    title: "Beside the last passing run",
    with: "Compared with the run of",
    same: "No test that passed then fails now.",
    columns: ["Test", "Then", "Now"],
    absent: "not in this run",
    durations: (shown: number, all: number) =>
      shown === all ? "Durations of each test" : `Durations of ${shown} of ${all} tests, largest differences first`,
    durationColumns: ["Test", "Then", "Now", "Difference"],
  },

  neighbours: "Previous and next run at this location",
  before: "Previous run",
  after: "Next run",
  elsewhere: "At other locations",
  attempts: "Attempts of this run",
  attemptLink: (number: number) => `Attempt ${number}`,

  phases: {
    title: "Phases",
    caption: "Duration of each phase",
    total: "Total",
    names: {
      wait: "Waiting",
      dns: "DNS lookup",
      tcp: "TCP connect",
      tls: "TLS handshake",
      firstByte: "First byte",
      download: "Download",
      connection: "Connect",
      data: "Data",
      query: "Query",
      startTls: "STARTTLS",
      handshake: "TLS handshake",
      trace: "Path",
      names: "Hop names",
    } as Readonly<Record<string, string>>,
  },

  judged: {
    title: "Assertions",
    columns: ["Passed", "Assertion", "Received"],
    yes: "yes",
    no: "no",
    jobLog: "Job log",
    jobLogColumns: ["Time", "Phase", "Level", "Message"],
  },

  evidence: {
    titles: {
      "traceroute.txt": "Path to the target",
      "tls.txt": "TLS handshake, repeated",
      "dns.txt": "DNS lookup, repeated",
    } as Readonly<Record<string, string>>,
    asWritten: "Raw output",
    hopColumns: ["Hop", "Address", "Time", "", "Response"],
    noAnswer: "no answer",
    none: "–",
  },

  files: {
    title: "Files",
    kinds: {
      log: "text",
      trace: "browser trace",
      video: "video",
      screenshot: "screenshot",
      pcap: "packet capture (Wireshark, tcpdump)",
      report: "report",
      file: "file",
    } satisfies Record<FileType, string>,
  },

  facts: {
    title: "Run details",
    checkThen: "Check name at the time",
    started: "Started",
    ended: "Ended",
    waited: "Time in queue",
    eventLoopDelay: "Event-loop delay",
    ofAgent: "maximum, of the agent",
    sandbox: "Sandbox",
    level: (level: number) => `level ${level}`,
    result: "Result",
    run: "Run",
    trace: "Trace",
  },
} as const;
