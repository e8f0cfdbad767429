import type { ErrorEvent } from "#contract/agent-protocol.ts";
import type { Logger } from "#daemon/logger.ts";
import type { AgentSessionRow } from "../storage/storage.ts";

export type ErrorEventSink = (agent: AgentSessionRow, events: readonly ErrorEvent[]) => void;

const loggedPerMinute = 60;
const loggedStackCharacters = 4_000;

/**
 * Logs what agents report about themselves and counts it. The agent has scrubbed the reports; a flood of them must not
 * fill the log, so past the bound they are only counted.
 */
export function createErrorEventSink(deps: {
  readonly log: Logger;
  readonly nowMs: () => number;
  readonly count: (events: number) => void;
}): ErrorEventSink {
  let minute = 0;
  let logged = 0;
  return (agent, events) => {
    deps.count(events.length);
    const now = Math.floor(deps.nowMs() / 60_000);
    if (now !== minute) [minute, logged] = [now, 0];
    for (const event of events.slice(0, Math.max(0, loggedPerMinute - logged))) {
      logged += 1;
      const { message, stack, agentVersion, platform, runtimeVersion } = event;
      deps.log.warn(
        { agentId: agent.agentId, agentVersion, platform, runtimeVersion, event: message, stack: stack.slice(0, loggedStackCharacters) },
        "an agent reported an error of its own",
      );
    }
  };
}
