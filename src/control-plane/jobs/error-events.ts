import type { ErrorEvent } from "#contract/agent-protocol.ts";
import type { Logger } from "#daemon/logger.ts";
import { agentErrorHash, cleanedAgentError } from "#domain/agent-error.ts";
import type { AgentErrorStore, AgentSessionRow } from "../storage/storage.ts";

export type ErrorEventSink = (agent: AgentSessionRow, events: readonly ErrorEvent[]) => Promise<void>;

const loggedPerMinute = 60;
const loggedStackCharacters = 4_000;
/** Of one location. */
const storedPerMinute = 300;

/**
 * Stores what agents of private locations report about themselves, logs it and counts it. A flood must not fill the log or the store, so
 * past the bounds events are only counted.
 */
export function createErrorEventSink(deps: {
  readonly agentErrors: Pick<AgentErrorStore, "add">;
  readonly log: Logger;
  readonly nowMs: () => number;
  readonly count: (events: number) => void;
}): ErrorEventSink {
  let minute = 0;
  let logged = 0;
  let storedByLocation = new Map<number, number>();
  return async (agent, events) => {
    deps.count(events.length);
    const nowMs = deps.nowMs();
    const now = Math.floor(nowMs / 60_000);
    if (now !== minute) [minute, logged, storedByLocation] = [now, 0, new Map()];
    const { agentId, locationId, accountId } = agent;
    const cleaned = events.map(cleanedAgentError);
    for (const { message, stack, ...told } of cleaned.slice(0, Math.max(0, loggedPerMinute - logged))) {
      logged += 1;
      const shown = { agentId, ...told, event: message, stack: stack.slice(0, loggedStackCharacters) };
      deps.log.warn(shown, "an agent reported an error of its own");
    }
    if (accountId === null) return; // of a data center: only the operator reads it, in the log
    const stored = storedByLocation.get(locationId) ?? 0;
    const fitting = cleaned.slice(0, Math.max(0, storedPerMinute - stored));
    storedByLocation.set(locationId, stored + fitting.length);
    await deps.agentErrors.add({ accountId, locationId, agentId, nowMs, errors: countedErrors(fitting) });
  };
}

function countedErrors(events: readonly ErrorEvent[]) {
  return [...Map.groupBy(events, agentErrorHash)].flatMap(([hash, [event, ...same]]) =>
    event === undefined ? [] : [{ ...event, hash, count: 1 + same.length }],
  );
}
