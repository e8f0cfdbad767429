import { readBundle } from "#contract/agent-bundles.ts";
import { AppError } from "#domain/app-error.ts";
import type { BlobStore } from "../blob-store/blob-store.ts";
import { type Handler, handler } from "../http/handler.ts";
import { jobNoOf } from "../kinds/ids.ts";
import type { CodeBundleStore } from "../storage/storage.ts";

export interface AgentBundleDeps {
  readonly codeBundles: Pick<CodeBundleStore, "findFor">;
  /** Null where no large files are kept. */
  readonly blobs: Pick<BlobStore, "open"> | null;
  readonly nowMs: () => number;
}

/** Projects of tests, for the agent that runs a check of their account. */
export function agentBundleHandlers({ codeBundles, blobs, nowMs }: AgentBundleDeps): readonly Handler[] {
  return [
    handler(readBundle, async ({ params: { sha256 }, query: { jobId, fence } }, { caller: { agent } }) => {
      const no = jobNoOf(jobId);
      if (no === undefined) throw new AppError("conflict", "the agent does not hold this job");
      const found = await codeBundles.findFor({ agentSession: agent.id, job: { no, fence } }, sha256, nowMs());
      if (found === undefined || blobs === null) throw new AppError("not_found", "the account has no such code bundle");
      const { key, size } = found;
      return { name: `${sha256}.tar.gz`, contentType: "application/gzip", size, open: (start, end) => blobs.open(key, start, end) };
    }),
  ];
}
