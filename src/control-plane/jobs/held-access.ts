import type { JobRef } from "#contract/agent-protocol.ts";
import { AppError } from "#domain/app-error.ts";
import { jobNoOf } from "../kinds/ids.ts";
import type { AgentSessionRow, BaselineAccess } from "../storage/storage.ts";

/** A job as an agent names it. @throws {AppError} conflict where there can be none */
export function accessOf(agent: AgentSessionRow, { jobId, fence }: JobRef): BaselineAccess {
  const no = jobNoOf(jobId);
  if (no === undefined) throw new AppError("conflict", "the agent does not hold this job");
  return { agentSession: agent.id, job: { no, fence } };
}
