import type { Cause } from "../cause.ts";
import { lengthWords, listWords, momentWords } from "../cause-facts.ts";
import { dueMs, type HeartbeatFacts } from "../heartbeat-facts.ts";

/** Alerts are looked for each second. */
const toleratedMs = 10_000;

/** The alert came later than the times say: meanwhile nobody was there who could have taken a ping. */
export function notTaken(facts: HeartbeatFacts): readonly Cause[] {
  const {
    check,
    missedAtMs,
    changes,
    pings: [last],
  } = facts;
  const due = dueMs(facts);
  if (due === null || last === undefined || missedAtMs - due <= toleratedMs) return [];
  if (changes.some(({ what, atMs }) => what === "check" && atMs >= last.atMs)) return []; // new times begin anew
  const length = lengthWords(missedAtMs - due);
  return [
    {
      kind: "control-plane",
      text: `For ${length} no control plane ran that could take pings. A job that sends its ping once lost it then; let it try again for some minutes.`,
      confidence: "medium",
      evidence: [
        {
          says: `The alert was due ${momentWords(due)} and came ${length} later, as timers stand still while no control plane runs`,
          of: { kind: "check", checkId: check.id },
        },
      ],
    },
  ];
}

/** Others were missed, too: what they share is the cause, not this job. */
export function missedTogether({ others }: HeartbeatFacts): readonly Cause[] {
  const missed = others.filter(({ isMissed }) => isMissed);
  if (missed.length === 0 || missed.length * 2 < others.length) return [];
  const isEvery = missed.length === others.length;
  const who = isEvery && missed.length === 1 ? "The other heartbeat was" : `${missed.length} of ${others.length} other heartbeats were`;
  return [
    {
      kind: "host",
      text: `${who} missed at the same time (${listWords(missed.map(({ name }) => name))}). Look at what their jobs share: a host, a scheduler, the way to this control plane.`,
      confidence: isEvery && missed.length > 1 ? "high" : "medium",
      evidence: missed.slice(0, 5).map(({ checkId, name }) => ({ says: `${name} was missed`, of: { kind: "check", checkId } as const })),
    },
  ];
}
