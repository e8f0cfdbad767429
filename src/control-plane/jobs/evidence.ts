import { type AttemptReport, EvidenceFile } from "#contract/agent-protocol.ts";
import type { Logger } from "#daemon/logger.ts";

const maxFiles = 8;
const maxFileBytes = 262_144;
/** Of one attempt, in all. */
const maxBytes = 524_288;

/** The files of a report that are stored, within the limits and each name once. The rest is left out and logged: the verdict is worth more. */
export function acceptedEvidence(
  log: Logger,
  { jobId, attempt }: Pick<AttemptReport, "jobId" | "attempt">,
  given: unknown,
): EvidenceFile[] {
  const files: readonly unknown[] = Array.isArray(given) ? given : [given];
  const accepted = new Map<string, EvidenceFile>();
  let bytes = 0;
  for (const file of files.slice(0, maxFiles)) {
    const { data } = EvidenceFile.safeParse(file);
    const size = Buffer.byteLength(data?.data ?? "", "base64");
    if (data === undefined || accepted.has(data.name) || size > maxFileBytes || bytes + size > maxBytes) continue;
    accepted.set(data.name, data);
    bytes += size;
  }
  const leftOut = files.length - accepted.size;
  if (leftOut > 0) log.warn({ jobId, attempt, leftOut, bytes }, "dropped evidence of a result");
  return [...accepted.values()];
}
