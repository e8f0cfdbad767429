import { AppError } from "#domain/app-error.ts";
import type { IncomingPing } from "../http/ping-routes.ts";
import type { CountRequest } from "../http/rate-limit.ts";
import { createPingTokenHashes } from "../secrets/ping-tokens.ts";
import type { HeartbeatStore } from "../storage/storage.ts";

/**
 * Takes pings. A known token is counted by its heartbeat, an unknown one by the address it came from, so that nobody can try out many.
 *
 * Webhooks of alert channels are refused, also those of another Outpost: the alert of a heartbeat that is missed would be its ping, so it would
 * recover and fail for ever while nothing runs.
 *
 * @throws {AppError} not_found, rate_limited, invalid_input
 */
export function createPings(deps: {
  readonly heartbeats: Pick<HeartbeatStore, "checkIdOf" | "ping">;
  readonly hashOf: (secret: string) => string;
  readonly countRequest: CountRequest;
  readonly nowMs: () => number;
}): (ping: IncomingPing) => Promise<void> {
  const hashes = createPingTokenHashes(deps.hashOf);
  return async ({ token, source, userAgent, remoteAddress, isAlert }) => {
    const atMs = deps.nowMs();
    const checkId = await deps.heartbeats.checkIdOf(hashes.of(token));
    if (checkId === undefined) {
      deps.countRequest("unknown-pings", remoteAddress);
      throw new AppError("not_found", "There is no heartbeat with this token");
    }
    deps.countRequest("pings", String(checkId));
    if (isAlert) throw new AppError("invalid_input", "An alert is no ping: point the alert channel elsewhere, and let the job itself ping");
    await deps.heartbeats.ping({ checkId, atMs, source, userAgent });
  };
}
