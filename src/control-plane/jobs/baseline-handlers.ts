import { baselineLimits, keepBaseline, listBaselines, readBaseline } from "#contract/agent-baselines.ts";
import type { JobRef } from "#contract/agent-protocol.ts";
import { AppError } from "#domain/app-error.ts";
import { type Handler, handler } from "../http/handler.ts";
import { jobNoOf } from "../kinds/ids.ts";
import type { AgentSessionRow, BaselineAccess, BaselineStore } from "../storage/storage.ts";

export interface BaselineHandlerDeps {
  readonly baselines: BaselineStore;
  readonly nowMs: () => number;
}

/** Pictures that screenshots of browser checks are compared with, for the agent that runs the check. */
export function baselineHandlers({ baselines, nowMs }: BaselineHandlerDeps): readonly Handler[] {
  return [
    handler(listBaselines, async ({ body }, { caller: { agent } }) => ({ baselines: [...(await baselines.list(accessOf(agent, body)))] })),
    handler(readBaseline, async ({ body }, { caller: { agent } }) => {
      const bytes = await baselines.read(accessOf(agent, body), body);
      return { data: Buffer.from(bytes).toString("base64") };
    }),
    handler(keepBaseline, async ({ body: { data, ...body } }, { caller: { agent } }) => {
      const picture = { browser: body.browser, name: body.name, body: Buffer.from(data, "base64") };
      const most = { pictures: baselineLimits.checkPictures, bytes: baselineLimits.checkBytes };
      await baselines.keep(accessOf(agent, body), picture, most, nowMs());
      return {};
    }),
  ];
}

function accessOf(agent: AgentSessionRow, { jobId, fence }: JobRef): BaselineAccess {
  const no = jobNoOf(jobId);
  if (no === undefined) throw new AppError("conflict", "the agent does not hold this job");
  return { agentSession: agent.id, job: { no, fence } };
}
