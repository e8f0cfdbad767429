import type { Cause, Evidence } from "../cause.ts";
import { lengthWords, momentWords, usualOf } from "../cause-facts.ts";
import { dueMs, type HeartbeatFacts, intervalsOf, type PingFact } from "../heartbeat-facts.ts";

/** Of pings: fewer of them have no usual time. */
const fewest = 3;

export function pingEvidence(checkId: string, ping: PingFact): Evidence {
  const from = senderOf(ping);
  return { says: `A ping came ${momentWords(ping.atMs)}${from === "" ? "" : ` from ${from}`}`, of: { kind: "check", checkId } };
}

function senderOf({ source, program }: PingFact): string {
  if (source !== null && program !== null) return `${source} (${program})`;
  return source ?? program ?? "";
}

function usualMs(facts: HeartbeatFacts): number | null {
  return facts.pings.length < fewest ? null : usualOf(intervalsOf(facts));
}

/** The ping came after all. */
export function cameLate(facts: HeartbeatFacts): readonly Cause[] {
  const {
    check,
    cameAtMs,
    periodMs,
    pings: [last],
  } = facts;
  const due = dueMs(facts);
  if (due === null || last === undefined || cameAtMs === null || cameAtMs - due > periodMs) return [];
  return [
    {
      kind: "schedule",
      text: `The job runs, but late: its ping came ${lengthWords(cameAtMs - due)} after period and grace were over. Look at how long it runs and waits, or give it a longer grace.`,
      confidence: "high",
      evidence: [
        pingEvidence(check.id, last),
        {
          says: `The next ping came ${momentWords(cameAtMs)}, where it was due ${momentWords(due)}`,
          of: { kind: "check", checkId: check.id },
        },
      ],
    },
  ];
}

/** Pings came at the very end of what they may take, or took longer each time. */
export function tightTimes(facts: HeartbeatFacts): readonly Cause[] {
  const { check, periodMs, graceMs, pings } = facts;
  const usual = usualMs(facts);
  const [newest = 0] = intervalsOf(facts);
  const [last] = pings;
  if (usual === null || last === undefined) return [];
  const latest = pings.slice(0, 10);
  const inGrace = latest.filter(({ state }) => state === "GRACE" || state === "LATE").length;
  const evidence = [
    {
      says: `${inGrace} of the last ${latest.length} pings came after the period was over`,
      of: { kind: "check", checkId: check.id } as const,
    },
  ];
  if (usual > periodMs && inGrace * 2 > latest.length)
    return [
      {
        kind: "schedule",
        text: `The job pings every ${lengthWords(usual)}, longer than its period of ${lengthWords(periodMs)}: each time it is in its grace of ${lengthWords(graceMs)} already. Make the period as long as the job's.`,
        confidence: "high",
        evidence,
      },
    ];
  if (newest < 1.2 * usual || newest <= periodMs) return [];
  return [
    {
      kind: "schedule",
      text: `The job took longer before it stayed away: its last two pings were ${lengthWords(newest)} apart, where ${lengthWords(usual)} are usual. Look at what it has to do, and whether it still ran when the next one was due.`,
      confidence: "medium",
      evidence: [pingEvidence(check.id, last)],
    },
  ];
}

/** Somebody else sent the last ping than all before. */
export function otherSender({ check, pings }: HeartbeatFacts): readonly Cause[] {
  const [last, ...before] = pings;
  if (last === undefined || before.length < fewest - 1) return [];
  const now = senderOf(last);
  const known = [...new Set(before.map(senderOf))];
  const [was = ""] = known;
  if (now === was || known.length > 1 || now === "" || was === "") return [];
  const [previous = last] = before;
  return [
    {
      kind: "address",
      text: `The last ping came from ${now}, all before from ${was}. Somebody may have tried the address by hand, or the job has moved: look whether the old one still runs.`,
      confidence: "medium",
      evidence: [pingEvidence(check.id, last), pingEvidence(check.id, previous)],
    },
  ];
}

/** Where several jobs have one address, one of them may stay away for long before anybody hears of it. */
export function tooOften(facts: HeartbeatFacts): readonly Cause[] {
  const {
    check,
    periodMs,
    pings: [last],
  } = facts;
  const usual = usualMs(facts);
  if (usual === null || last === undefined || usual >= periodMs / 2) return [];
  return [
    {
      kind: "schedule",
      text: `Pings came every ${lengthWords(usual)}, though one is due only every ${lengthWords(periodMs)}. Either the period is too long, or several jobs ping this address and all of them stopped.`,
      confidence: "low",
      evidence: [pingEvidence(check.id, last)],
    },
  ];
}

/** What is so in any case: no ping came. */
export function stopped(facts: HeartbeatFacts): readonly Cause[] {
  const {
    check,
    cameAtMs,
    pings: [last],
  } = facts;
  if (last === undefined || cameAtMs !== null) return [];
  const usual = usualMs(facts);
  const from = senderOf(last);
  const until = usual === null ? "" : ` Until then it was pinged every ${lengthWords(usual)}.`;
  return [
    {
      kind: "not-pinged",
      text: `No ping came after ${momentWords(last.atMs)}${from === "" ? "" : `, from ${from}`}.${until} The job did not start, did not get to its end, or could not reach this control plane: look at its scheduler and its log.`,
      confidence: "medium",
      evidence: [pingEvidence(check.id, last)],
    },
  ];
}
