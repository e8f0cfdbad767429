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

  about: (usual: string) => `about the usual ${usual}`,
  times: (times: string, usual: string) => `${times} × the usual ${usual}`,
  usual: "(median of the week before, here)",
  overLimit: "over the limit",
  agentSide: (error: string) =>
    `${error} This was trouble of the agent's own side: it says nothing about the target, and nobody is alerted.`,
  storedLate: (at: Html) =>
    html`It arrived at ${at}, after a newer run at this location: it counts in the figures, and nobody was told of it.`,
  startedLate: (late: string) => `began ${late} after it was due`,
  requestError: "Error of the request",
  missed: {
    no_agent: "Nothing ran: no agent of the location could take it.",
    no_capacity: "Nothing ran: no agent had room for it in time.",
    expired: "Nothing came of it: an agent took it and brought no result in time.",
    agent_lost: "Nothing ran: the agent that took it went away and did not come back.",
    overlap: "Nothing ran: the run before it had not ended when the next one was due.",
  } satisfies Record<MissedReason, string>,

  neighbours: "Runs before and after, at this location",
  before: "Run before",
  after: "Run after",
  attempts: "Attempts of this run",
  attemptLink: (number: number) => `Attempt ${number}`,

  phases: {
    title: "Phases",
    caption: "How long each phase took",
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
      names: "Names of hops",
    } as Readonly<Record<string, string>>,
  },

  judged: {
    title: "Assertions",
    columns: ["Held", "Asserted", "Seen"],
    yes: "yes",
    no: "no",
    jobLog: "Job log",
    jobLogColumns: ["After the start", "Phase", "Level", "Message"],
  },

  evidence: {
    titles: {
      "traceroute.txt": "Path to the target",
      "tls.txt": "TLS handshake, tried again",
      "dns.txt": "DNS, asked again",
    } as Readonly<Record<string, string>>,
    asWritten: "As the agent wrote it",
    hopColumns: ["Hop", "Address", "Time", "", "Says"],
    noAnswer: "no answer",
    none: "–",
  },

  files: {
    title: "Files",
    kinds: {
      log: "text",
      trace: "trace of a browser",
      video: "video",
      screenshot: "picture",
      pcap: "packet capture, for Wireshark or tcpdump",
      report: "report",
      file: "file",
    } satisfies Record<FileType, string>,
  },

  facts: {
    title: "The run",
    checkThen: "Check, then",
    started: "Started",
    ended: "Ended",
    waited: "Waited in queue",
    eventLoopDelay: "Event-loop delay",
    ofAgent: "at most, of the agent",
    sandbox: "Sandbox",
    level: (level: number) => `level ${level}`,
    result: "Result",
    run: "Run",
    trace: "Trace",
  },
} as const;
