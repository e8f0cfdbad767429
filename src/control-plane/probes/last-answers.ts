import type { ProbeAnswer, ProbeQuestion } from "./probe-messages.ts";

/** The main loop has so long to answer a probe itself. */
export const freshWithinMs = 30;
/** A main loop that answered nothing for so long is no longer busy but stuck. */
export const keptForMs = 60_000;
/** Whoever asks with ever new tokens makes neither the main loop's queue nor this memory longer. */
const maxQuestions = 64;

/** An answer, and how long ago the main loop gave it. */
export interface DatedAnswer {
  readonly answer: ProbeAnswer;
  readonly ageMs: number;
}

interface Asked {
  readonly id: number;
  readonly waiting: PromiseWithResolvers<void>;
}

interface Kept {
  readonly answer: ProbeAnswer;
  readonly atMs: number;
}

/**
 * Answers by the main loop, and its last ones while it is busy. A question is asked once at a time, however many wait for its answer.
 *
 * @param ask hands a question to the main loop, which calls `answered` with its number
 * @param nowMs a clock that never goes back
 */
export function createLastAnswers(
  ask: (id: number, question: ProbeQuestion) => void,
  nowMs: () => number,
  pause: (ms: number) => Promise<void>,
) {
  const asked = new Map<string, Asked>();
  const kept = new Map<string, Kept>();
  let lastId = 0;

  function askOnce(question: ProbeQuestion): Asked | undefined {
    const name = nameOf(question);
    const open = asked.get(name);
    // A flood of tokens keeps no probe from being asked: those bring none.
    if (open !== undefined || (question.authorization !== "" && asked.size >= maxQuestions)) return open;
    lastId += 1;
    const fresh = { id: lastId, waiting: Promise.withResolvers<void>() };
    asked.set(name, fresh);
    ask(fresh.id, question);
    return fresh;
  }

  return {
    /** @returns undefined when nothing was answered for too long */
    async get(question: ProbeQuestion): Promise<DatedAnswer | undefined> {
      const name = nameOf(question);
      const beganMs = nowMs();
      const open = askOnce(question);
      if (open !== undefined) await Promise.race([open.waiting.promise, pause(freshWithinMs)]);
      const last = kept.get(name);
      if (last === undefined) return undefined;
      const ageMs = last.atMs >= beganMs ? 0 : nowMs() - last.atMs;
      return ageMs > keptForMs ? undefined : { answer: last.answer, ageMs };
    },

    answered(id: number, answer: ProbeAnswer): void {
      for (const [name, { id: expected, waiting }] of asked) {
        if (expected !== id) continue;
        asked.delete(name);
        kept.delete(name);
        kept.set(name, { answer, atMs: nowMs() }); // the last one again
        const spare = kept.size > maxQuestions ? kept.keys().find(bringsToken) : undefined;
        if (spare !== undefined) kept.delete(spare);
        waiting.resolve();
      }
    },
  };
}

function bringsToken(name: string): boolean {
  return !name.endsWith(" ");
}

function nameOf({ path, authorization, accept = "" }: ProbeQuestion): string {
  return `${path} ${accept} ${authorization}`;
}
