import type { AgentSessionRequest } from "#contract/agent-protocol.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import type { AuditMetrics } from "../audit/audit-metrics.ts";
import type { AuditWriter } from "../audit/write-audit.ts";
import { auditRequest, keyActor } from "../http/audit.ts";
import type { CallContext, LocationCaller } from "../http/handler.ts";
import { networkOf } from "../http/network-of.ts";
import { createRateLimiter } from "../http/rate-limit.ts";
import type { LocationHostRow, LocationHostStore, LocationRow, SessionClaim } from "../storage/storage.ts";

export interface AdmissionDeps {
  readonly locationHosts: Pick<LocationHostStore, "arrive">;
  readonly note: AuditWriter["note"];
  readonly countDroppedNotes: AuditMetrics["countDroppedNotes"];
  readonly hashOf: (secret: string) => string;
  readonly nowMs: () => number;
  readonly agentGoneMs: number;
}

/**
 * Lets an agent of a location in and opens its session.
 *
 * @param open throws AppError conflict where another agent of this id runs
 * @throws {AppError} forbidden, conflict
 */
export type Admit = <T>(
  caller: LocationCaller,
  body: AgentSessionRequest,
  request: CallContext["request"],
  open: (claim: SessionClaim) => Promise<T>,
) => Promise<T>;

/** Hosts that a location has no room for come in any number: one an hour is told. */
const limits = { full: { requests: 1, windowSeconds: 3600 } };

/**
 * Who may be an agent of a location, beside having its key: a host that the location admits, and nobody in the name of an agent that runs.
 * What is refused is told in the audit log. Data centers are the operator's own, and admit every host.
 */
export function createAdmission(deps: AdmissionDeps): Admit {
  const { nowMs, hashOf } = deps;
  const countFull = createRateLimiter(limits, nowMs);

  function note({ key, location }: LocationCaller, request: CallContext["request"], status: 403 | 409): void {
    const told = auditRequest(request.method, request, status);
    const { accountId, uuid: resourceId } = location;
    deps.note({ accountId, atMs: nowMs(), operation: "openAgentSession", resourceId, fields: [], actor: keyActor(key), request: told });
  }

  function noteFull(caller: LocationCaller, request: CallContext["request"]): void {
    try {
      countFull("full", caller.location.uuid);
    } catch (error) {
      if (!hasCode(error, "rate_limited")) throw error;
      return deps.countDroppedNotes();
    }
    note(caller, request, 403);
  }

  return async (caller, { name, proof }, request, open) => {
    const { location } = caller;
    const network = networkOf(request.ip);
    if (location.accountId !== null) {
      const host = await deps.locationHosts.arrive(location.id, { network, name, nowMs: nowMs() });
      const refusal = refusalOf(location, network, host);
      if (refusal !== null) {
        if (host === undefined) noteFull(caller, request);
        else note(caller, request, 403);
        throw new AppError("forbidden", refusal);
      }
    }
    const proofHash = proof === undefined ? null : hashOf(`agent-proof:${proof}`);
    try {
      return await open({ network, proofHash, aliveSinceMs: nowMs() - deps.agentGoneMs });
    } catch (error) {
      if (hasCode(error, "conflict")) note(caller, request, 409);
      throw error;
    }
  };
}

/** Null: it may come in. */
function refusalOf({ code, uuid }: LocationRow, network: string, host: LocationHostRow | undefined): string | null {
  const hosts = `/v1/private-locations/${uuid}/hosts`;
  if (host === undefined)
    return `The location ${code} has no room for another host: remove one on its page, or by DELETE ${hosts}/{hostId}`;
  if (host.state === "refused") return `The location ${code} refuses agents from ${network}`;
  if (host.state === "admitted") return null;
  return `The location ${code} admits no new host by itself: admit ${network} on its page, or by PUT ${hosts}/${host.uuid}`;
}
