import type { ArtifactDeclaration } from "#contract/agent-artifacts.ts";
import { EvidenceFile } from "#contract/agent-protocol.ts";
import type { FoundFile, LongBody } from "../runners/check-runner.ts";

/** Whose files they are. */
export type AttemptRef = Pick<ArtifactDeclaration, "jobId" | "attempt" | "fence">;

const extensions: readonly (readonly [RegExp, string])[] = [
  [/\bjson\b/, "json"],
  [/\bhtml\b/, "html"],
  [/\bxml\b/, "xml"],
  [/^text\//, "txt"],
];

/** The whole body of an answer, of which the result stores the beginning. */
export function bodyFile({ bytes, contentType = "" }: LongBody): FoundFile {
  const type = contentType.toLowerCase().trim();
  const extension = extensions.find(([pattern]) => pattern.test(type))?.[1] ?? "bin";
  const known = EvidenceFile.shape.contentType.safeParse(type);
  return { name: `response-body.${extension}`, type: "file", contentType: known.data ?? "application/octet-stream", content: bytes };
}

/** Evidence that is too large for a report comes after it; the rest goes along. */
export function splitEvidence(evidence: readonly EvidenceFile[]): { readonly along: EvidenceFile[]; readonly after: FoundFile[] } {
  const along = evidence.filter((file) => EvidenceFile.safeParse(file).success);
  const after = evidence
    .filter((file) => !along.includes(file))
    .map(({ data, ...file }) => ({ ...file, content: Buffer.from(data, "base64") }));
  return { along, after };
}
