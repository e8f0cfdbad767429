import { z } from "zod";
import { AttemptReport, EvidenceFile } from "./agent-protocol.ts";
import { AssetType } from "./check-results.ts";
import type { Operation } from "./operation.ts";
import { Uuid } from "./primitives.ts";

/** A file of this size passes, one byte more fails. */
export const artifactLimitBytes = 157_286_400;
/** Every part but the last has this size, or a smaller one where larger ones do not get through, but not below the least. */
export const artifactPartBytes = 8_388_608;
/** S3 takes no smaller ones before the last. */
export const artifactPartLeastBytes = 5_242_880;

/** A file that comes after its result, which is stored already. Idempotency key: jobId, attempt and name. */
export const ArtifactDeclaration = z.object({
  ...AttemptReport.pick({ jobId: true, attempt: true, fence: true }).shape,
  ...EvidenceFile.pick({ name: true, contentType: true }).shape,
  type: AssetType,
  size: z.number().int().min(0).describe(`bytes, at most ${artifactLimitBytes}`),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe("of the whole file, lower-case hexadecimal"),
});
export type ArtifactDeclaration = z.output<typeof ArtifactDeclaration>;

export const ArtifactUpload = z.object({
  uploadId: Uuid,
  partBytes: z.number().int().describe("size of every part but the last, where all is well"),
  received: z.number().int().describe("how far it is: the offset of the next part, the size when only the commit is missing"),
  stored: z.boolean().describe("nothing is to be done any more"),
});
export type ArtifactUpload = z.output<typeof ArtifactUpload>;

const artifactOperation = { tag: "Agent protocol", rateLimit: "none", access: "agent-session", successStatus: 200 } as const;

export const declareArtifact = {
  ...artifactOperation,
  id: "declareArtifact",
  method: "POST",
  path: "/agent/v1/artifacts",
  summary: "Announce a file of a stored result; the same announcement again tells how far its upload is",
  description:
    "409 where the result is not stored, is not of this agent's location, or has another file of this name. 413 above the limit. 429 where too much is under way for the location or the account. An upload that is not committed within 24 hours is removed.",
  body: ArtifactDeclaration,
  output: ArtifactUpload,
  errors: [409, 413, 429],
} as const satisfies Operation;

export const putArtifactPart = {
  ...artifactOperation,
  id: "putArtifactPart",
  method: "PUT",
  path: "/agent/v1/artifacts/{uploadId}/parts/{offset}",
  summary: "Send the part of an artifact that begins at this offset; one that is there already is taken again",
  description:
    "A part that does not come whole is forgotten. Parts come in order: 409 for one that would leave a gap, and for an upload that is not known; announce the file again then.",
  params: z.object({ uploadId: Uuid, offset: z.coerce.number().int().min(0).max(artifactLimitBytes) }),
  query: z.object({
    size: z.coerce
      .number()
      .int()
      .min(1)
      .max(artifactPartBytes)
      .optional()
      .describe(`of the part, ${artifactPartLeastBytes} or more unless it is the last; ${artifactPartBytes}, or what is left, when absent`),
  }),
  bytes: true,
  output: z.object({ received: z.number().int() }),
  errors: [409, 413],
} as const satisfies Operation;

export const commitArtifact = {
  ...artifactOperation,
  id: "commitArtifact",
  method: "POST",
  path: "/agent/v1/artifacts/{uploadId}/commit",
  summary: "Store an artifact whose parts have all come",
  description:
    "409 where bytes are missing; 409 also where the file is not the one that was announced: its upload is removed then, and may begin anew.",
  params: z.object({ uploadId: Uuid }),
  output: z.object({ size: z.number().int(), sha256: z.string() }),
  errors: [409],
} as const satisfies Operation;

export const agentArtifactOperations = [declareArtifact, putArtifactPart, commitArtifact] as const;
