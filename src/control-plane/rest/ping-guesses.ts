import { hasCode } from "#domain/app-error.ts";
import type { CallContext, Handler } from "../http/handler.ts";
import type { CountRequest } from "../http/rate-limit.ts";

export interface PingGuessDeps {
  readonly countRequest: CountRequest;
}

/**
 * Whoever gives a heartbeat a token that another one has learns that there is one: it counts like a ping with an unknown token, so that nobody can try
 * out many.
 */
export function countPingGuesses({ countRequest }: PingGuessDeps, { operation, handle }: Handler): Handler {
  const counted = async (input: never, context: CallContext<"write">): Promise<unknown> => {
    try {
      return await handle(input, context as never);
    } catch (error) {
      if (isTaken(error)) countRequest("unknown-pings", context.request.ip);
      throw error;
    }
  };
  return { operation, handle: counted as Handler["handle"] };
}

function isTaken(error: unknown): boolean {
  if (!hasCode(error, "conflict")) return false;
  const { issues } = error.attributes;
  return Array.isArray(issues) && issues.some(({ path }: { readonly path?: unknown }) => path === "heartbeat.pingToken");
}
