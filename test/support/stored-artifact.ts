import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ArtifactDeclaration } from "../../src/contract/agent-artifacts.ts";
import type { LeasedJob } from "../../src/contract/agent-protocol.ts";

/** Bytes that nobody can compress, made fast. */
export function someBytes(size: number): Buffer {
  const block = randomBytes(1_048_576);
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += block.length) {
    block.writeUInt32LE(at, 0);
    block.copy(bytes, at);
  }
  return bytes;
}

/** Leaves a scrubbed artifact in an outbox folder, as an agent does that died before it could upload it: the next agent takes it over. */
export function leaveArtifact(
  outboxFolder: string,
  { jobId, attempt, fence }: LeasedJob,
  name: string,
  bytes: Buffer,
): ArtifactDeclaration {
  const madeAtMs = Date.now();
  const [dead, unborn] = ["agent", "new"].map((kind) => join(outboxFolder, "artifacts", `${kind}-${randomUUID()}`)) as [string, string];
  const folder = join(unborn, `artifact-${String(madeAtMs).padStart(15, "0")}-${randomUUID()}`);
  mkdirSync(folder, { recursive: true });
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const file = { name, type: "file", contentType: "application/octet-stream", size: bytes.length, sha256 } as const;
  const declaration = { jobId, attempt, fence, ...file };
  writeFileSync(join(folder, "data"), bytes);
  writeFileSync(join(folder, "about.json"), JSON.stringify({ declaration, reportSeq: 1, madeAtMs }));
  renameSync(unborn, dead);
  return declaration;
}
