import { latestFirst, type StoredIncidentUpdate } from "./incidents.ts";

/*
 * What subscribers of status pages are told of, and how often it is tried.
 */

/**
 * The update that a write of an incident tells subscribers of: the latest of those that ask for it and did not before. One mail for each write,
 * however long the history that it brings.
 */
export function newsOf(before: readonly StoredIncidentUpdate[], after: readonly StoredIncidentUpdate[]): StoredIncidentUpdate | undefined {
  const told = new Set(before.filter((update) => update.notifySubscribers).map(({ id }) => id));
  return latestFirst(after).find(({ id, notifySubscribers }) => notifySubscribers && !told.has(id));
}

const firstWaitMs = 20_000;
const longestWaitMs = 3_600_000;
/** What is older is no news. */
const worthSendingMs = 86_400_000;

/**
 * When a mail that could not be sent is tried again: an hour after the last attempt at most, for a day.
 *
 * @param attempts made so far
 * @returns null: no more
 */
export function nextMailAtMs(attempts: number, createdAtMs: number, nowMs: number): number | null {
  const nextMs = nowMs + Math.min(firstWaitMs * 3 ** (attempts - 1), longestWaitMs);
  return nextMs - createdAtMs > worthSendingMs ? null : nextMs;
}

/** Who does not confirm within a week never asked, and is forgotten. */
export const confirmWithinMs = 7 * 86_400_000;
/** A visitor's repeated wish is no way to flood somebody else's mailbox. */
export const askAgainAfterMs = 15 * 60_000;
