import type { Cause } from "../cause.ts";
import { type CauseFacts, momentWords, ofRun, standingWords } from "../cause-facts.ts";

/** What was around the run, whatever it saw: maintenance, the agent's own trouble, another agent version. */
export function surroundings(facts: CauseFacts): readonly Cause[] {
  return [...maintenance(facts), ...agentSide(facts), ...agentVersion(facts)];
}

function maintenance({ windows, failure, standing }: CauseFacts): readonly Cause[] {
  return heldWindow(windows, failure.startedAtMs, `it ${standingWords[standing].was}`);
}

/** @param happened what did at that moment, as `it failed` */
export function heldWindow(windows: CauseFacts["windows"], atMs: number, happened: string): readonly Cause[] {
  const [window] = windows.filter(({ startsAtMs, endsAtMs }) => startsAtMs <= atMs && atMs < endsAtMs);
  if (window === undefined) return [];
  const { name, startsAtMs, endsAtMs } = window;
  return [
    {
      kind: "maintenance",
      text: `The maintenance window ${name} held when ${happened}. What fails during planned work is often that work.`,
      confidence: "medium",
      evidence: [{ says: `${name}: ${momentWords(startsAtMs)} to ${momentWords(endsAtMs)}`, of: { kind: "maintenance" } }],
    },
  ];
}

const ownCodes = new Set([
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
  "ENOMEM",
  "EADDRINUSE",
  "EADDRNOTAVAIL",
  "ENETDOWN",
  "EPERM",
  "EACCES",
  "ECAPABILITY",
  "EAFNOSUPPORT",
  "EPING",
]);

function agentSide({ failure }: CauseFacts): readonly Cause[] {
  const { code } = failure.seen;
  if (!failure.agentSide && !ownCodes.has(code ?? "")) return [];
  return [
    {
      kind: "agent",
      text: `The agent at ${failure.location} could not do its work; the run says nothing about the target. Run \`outpost doctor\` there.`,
      confidence: "high",
      evidence: [{ says: failure.error ?? "the agent's own side spoiled the run", of: ofRun(failure) }],
    },
  ];
}

function agentVersion({ agentChange, failure }: CauseFacts): readonly Cause[] {
  if (agentChange === null) return [];
  const { before, after, atMs } = agentChange;
  const says = `agents at ${failure.location} went from version ${before} to ${after}`;
  return [
    {
      kind: "agent-version",
      text: `The agents at ${failure.location} went from version ${before} to ${after} between the last good run and the failure.`,
      confidence: "low",
      evidence: [{ says: `${says} at ${momentWords(atMs)}`, of: { kind: "location" } }],
    },
  ];
}
