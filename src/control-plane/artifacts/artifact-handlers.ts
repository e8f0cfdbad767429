import { commitArtifact, declareArtifact, putArtifactPart } from "#contract/agent-artifacts.ts";
import { AppError } from "#domain/app-error.ts";
import { type Handler, handler } from "../http/handler.ts";
import type { ArtifactUploads } from "./artifact-uploads.ts";

/** @param uploads null where no artifacts are kept */
export function artifactHandlers(uploads: ArtifactUploads | null): readonly Handler[] {
  const kept = (): ArtifactUploads => {
    if (uploads === null) throw new AppError("conflict", "this control plane keeps no artifacts");
    return uploads;
  };
  return [
    handler(declareArtifact, async ({ body }, { caller: { agent } }) => kept().declare(agent, body)),
    handler(putArtifactPart, async ({ params, query: { size }, body }, { caller: { agent }, signal }) => ({
      received: await kept().putPart(agent, { ...params, size }, body, signal),
    })),
    handler(commitArtifact, async ({ params: { uploadId } }, { caller: { agent }, signal }) => kept().commit(agent, uploadId, signal)),
  ];
}
