import { keepBaseline, listBaselines, readBaseline } from "#contract/agent-baselines.ts";
import type { LeasedJob } from "#contract/agent-protocol.ts";
import type { Baselines } from "../runners/check-runner.ts";
import type { PictureCache } from "./picture-cache.ts";
import type { ControlPlane } from "./retrying-client.ts";

const limitMs = 30_000;

/** The pictures that screenshots of a job's check are compared with, as the control plane keeps them. Each call is tried once: a run waits for it. */
export function jobBaselines(
  controlPlane: Pick<ControlPlane, "once">,
  pictures: Pick<PictureCache, "get">,
  { jobId, fence, payload: { checkId } }: LeasedJob,
): Baselines {
  const job = { jobId, fence };
  return {
    async list(signal) {
      const { baselines, isCodeNamed = false } = await controlPlane.once(listBaselines, job, { signal, limitMs });
      return { baselines, isCodeNamed };
    },
    read({ writtenAt, ...name }, signal) {
      const fetch = async (): Promise<string> => {
        const { data } = await controlPlane.once(readBaseline, { ...job, ...name }, { signal, limitMs });
        return data;
      };
      return writtenAt === undefined ? fetch() : pictures.get([checkId, name.browser, writtenAt, name.name].join(" "), fetch);
    },
    async keep(picture, signal) {
      await controlPlane.once(keepBaseline, { ...job, ...picture }, { signal, limitMs });
    },
  };
}
