import { baselineLimits, keepBaseline, listBaselines, readBaseline } from "#contract/agent-baselines.ts";
import { type Handler, handler } from "../http/handler.ts";
import type { BaselineStore } from "../storage/storage.ts";
import { accessOf } from "./held-access.ts";

export interface BaselineHandlerDeps {
  readonly baselines: BaselineStore;
  readonly nowMs: () => number;
}

/** Pictures that screenshots of browser checks are compared with, for the agent that runs the check. */
export function baselineHandlers({ baselines, nowMs }: BaselineHandlerDeps): readonly Handler[] {
  return [
    handler(listBaselines, async ({ body }, { caller: { agent } }) => {
      const { baselines: listed, isCodeNamed } = await baselines.list(accessOf(agent, body));
      return { baselines: [...listed], ...(isCodeNamed && { isCodeNamed }) };
    }),
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
