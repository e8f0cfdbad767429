import type { AgentSessionRequest } from "#contract/agent-protocol.ts";
import { AppError } from "#domain/app-error.ts";
import type { AuditWriter } from "../audit/write-audit.ts";
import { auditRequest, keyActor } from "../http/audit.ts";
import type { CallContext, LocationCaller } from "../http/handler.ts";
import { networkOf } from "../http/network-of.ts";
import type { AgentStore, LocationHostStore } from "../storage/storage.ts";

export interface AdmissionDeps {
  readonly agents: Pick<AgentStore, "running">;
  readonly locationHosts: Pick<LocationHostStore, "arrive">;
  readonly note: AuditWriter["note"];
  readonly hashOf: (secret: string) => string;
  readonly nowMs: () => number;
  readonly agentGoneMs: number;
}

export interface Admitted {
  readonly network: string;
  readonly proofHash: string | null;
}

/**
 * Who may be an agent of a location, beside having its key: a host that the location admits, and nobody in the name of an agent that runs.
 * What is refused is told in the audit log. Data centers are the operator's own, and admit every host.
 *
 * @throws {AppError} forbidden, conflict
 */
export async function admitAgent(
  deps: AdmissionDeps,
  { key, location }: LocationCaller,
  { agentId, name, proof }: AgentSessionRequest,
  request: CallContext["request"],
): Promise<Admitted> {
  const { nowMs, hashOf } = deps;
  const network = networkOf(request.ip);
  const proofHash = proof === undefined ? null : hashOf(`agent-proof:${proof}`);

  function refuse(status: 403 | 409, message: string): AppError {
    const told = auditRequest(request.method, request, status);
    deps.note({
      accountId: location.accountId,
      atMs: nowMs(),
      operation: "openAgentSession",
      resourceId: location.uuid,
      fields: [],
      actor: keyActor(key),
      request: told,
    });
    return new AppError(status === 403 ? "forbidden" : "conflict", message);
  }

  const twin = await deps.agents.running(location.id, agentId, nowMs() - deps.agentGoneMs);
  if (twin !== undefined && twin.proofHash !== proofHash)
    throw refuse(409, "An agent with this id is running, and this is another one; restart it: it gets an id of its own");
  if (location.accountId === null) return { network, proofHash };
  const host = await deps.locationHosts.arrive(location.id, { network, name, nowMs: nowMs() });
  if (host.state === "waiting")
    throw refuse(
      403,
      `The location ${location.code} admits no new host by itself: admit ${network} on its page, or by PUT /v1/private-locations/${location.uuid}/hosts/${host.uuid}`,
    );
  if (host.state === "refused") throw refuse(403, `The location ${location.code} refuses agents from ${network}`);
  return { network, proofHash };
}
