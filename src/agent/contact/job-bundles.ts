import { readBundle } from "#contract/agent-bundles.ts";
import type { LeasedJob } from "#contract/agent-protocol.ts";
import type { Bundles } from "../runners/check-runner.ts";
import type { ControlPlane } from "./retrying-client.ts";

/** Of one range. */
const limitMs = 60_000;

/** The project of tests of a job's check, as the control plane keeps it. */
export function jobBundles(controlPlane: Pick<ControlPlane, "bytes">, { jobId, fence, payload: { accountId } }: LeasedJob): Bundles {
  return {
    accountId,
    read(sha256, from, to, signal) {
      const path = readBundle.path.replace("{sha256}", sha256);
      return controlPlane.bytes(readBundle.id, `${path}?jobId=${jobId}&fence=${fence}`, { from, to }, { signal, limitMs });
    },
  };
}
