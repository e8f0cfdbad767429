import { stat } from "node:fs/promises";
import { join } from "node:path";
import {
  type ArtifactUpload,
  artifactPartLeastBytes,
  commitArtifact,
  declareArtifact,
  putArtifactPart,
} from "#contract/agent-artifacts.ts";
import { withDeadline } from "#daemon/deadline.ts";
import type { Logger } from "#daemon/logger.ts";
import { sleep } from "#daemon/sleep.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import type { ControlPlane, RawBytes } from "../contact/retrying-client.ts";
import type { AgentClock } from "../host/clock.ts";
import type { ResultOutbox } from "../outbox/result-outbox.ts";
import type { ArtifactSpool } from "./artifact-spool.ts";
import { fileBytes } from "./file-bytes.ts";
import { dataName, type SpooledArtifact } from "./spooled-artifact.ts";

export interface ArtifactUploaderDeps {
  readonly spool: Pick<ArtifactSpool, "waiting" | "arrival" | "hold" | "remove" | "letGo">;
  readonly outbox: Pick<ResultOutbox, "oldestSeq" | "state">;
  readonly controlPlane: Pick<ControlPlane, "call" | "session">;
  readonly clock: AgentClock;
  readonly log: Logger;
  readonly limitMs: number;
  readonly onUploaded: (bytes: number) => void;
}

/** How often it looks whether a result was delivered. */
const lookMs = 100;
/** Results that wait longer than this go first, for a while. */
const lateResultSeconds = 5;
const longestYieldMs = 30_000;
const smallLimitMs = 30_000;
/** As long as the control plane gives a request. */
const partLimitMs = 120_000;
/** Answered by the control plane for good: 409 and its like may still pass once the file is announced again. */
const answers: readonly number[] = [400, 409, 413, 422];
const maxStarts = 5;
/** Of whole parts, before smaller ones are tried. */
const patientTries = 2;
const restMs = 1_000;
const longestTimerMs = 2 ** 31 - 1;

/** Uploads what the spool holds, one file at a time, after the results; goes on where it was after any failure. */
export interface ArtifactUploader {
  start(): void;
  stop(): Promise<void>;
}

export function createArtifactUploader(deps: ArtifactUploaderDeps): ArtifactUploader {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  async function run(signal: AbortSignal): Promise<void> {
    const refusals = new WeakMap<SpooledArtifact, Refusals>();
    while (!signal.aborted) {
      await deps.spool.arrival(signal);
      const nowMs = deps.clock.monotonicMs();
      const due = deps.spool.waiting.find((one) => one.reportSeq < deps.outbox.oldestSeq && (refusals.get(one)?.notBeforeMs ?? 0) <= nowMs);
      if (due === undefined) {
        await sleep(lookMs, signal);
        continue;
      }
      deps.spool.hold(due);
      await uploadOnce(deps, due, refusals, signal).finally(() => deps.spool.hold(null));
    }
  }

  return {
    start() {
      running ??= run(stopping.signal).catch((error: unknown) => {
        if (!stopping.signal.aborted) throw error;
      });
    },
    async stop() {
      stopping.abort(new AppError("cancelled", "the agent stops"));
      await Promise.allSettled([running]); // a bug in it has been reported as an unhandled rejection
    },
  };
}

interface Refusals {
  readonly count: number;
  readonly notBeforeMs: number;
}

/** Ends with the file delivered, let go, or left for a later turn. */
async function uploadOnce(
  deps: ArtifactUploaderDeps,
  artifact: SpooledArtifact,
  refusals: WeakMap<SpooledArtifact, Refusals>,
  signal: AbortSignal,
): Promise<void> {
  const { spool, clock } = deps;
  const leftMs = artifact.madeAtMs + deps.limitMs - clock.wallMs();
  try {
    const { declaration } = artifact;
    const found = await stat(join(artifact.folder, dataName)).catch(() => null);
    if (found?.size !== declaration.size) return await spool.letGo(artifact, "unreadable");
    const limit = Math.min(longestTimerMs, Math.max(1, leftMs));
    await withDeadline(signal, limit, "the upload of an artifact", (bounded) => upload(deps, artifact, bounded));
    deps.onUploaded(declaration.size);
    await spool.remove(artifact);
    refusals.delete(artifact);
  } catch (error) {
    signal.throwIfAborted();
    if (hasCode(error, "deadline_exceeded")) return spool.letGo(artifact, "age", error);
    if (hasCode(error, "too_large")) return spool.letGo(artifact, "too_large", error);
    if (!hasCode(error, "invalid_input")) throw error;
    const count = (refusals.get(artifact)?.count ?? 0) + 1;
    if (count >= maxStarts || error.attributes["status"] !== 409) {
      refusals.delete(artifact);
      return spool.letGo(artifact, "refused", error);
    }
    deps.log.debug({ jobId: artifact.declaration.jobId, reason: error.message }, "an artifact was refused; announcing it again later");
    refusals.set(artifact, { count, notBeforeMs: clock.monotonicMs() + restMs * 2 ** count });
  }
}

/** @throws {AppError} invalid_input with the status of a refusal, too_large */
async function upload(deps: ArtifactUploaderDeps, { declaration, folder }: SpooledArtifact, signal: AbortSignal): Promise<void> {
  const { controlPlane } = deps;
  const session = await controlPlane.session(signal);
  if (declaration.size > session.limits.artifactBytes) {
    throw new AppError("too_large", `it has ${declaration.size} bytes; the control plane takes ${session.limits.artifactBytes}`);
  }
  const begun: ArtifactUpload = await controlPlane.call(declareArtifact, declaration, { signal, limitMs: smallLimitMs, answers });
  if (begun.stored) return;
  const { uploadId, partBytes } = begun;
  const data = join(folder, dataName);
  for (let offset = begun.received; offset < declaration.size; ) {
    await yieldToResults(deps, signal);
    const start = offset;
    const part = (nth: number): RawBytes => {
      // Where a link breaks again and again, less at a time may get through.
      const size = Math.min(nth <= patientTries ? partBytes : artifactPartLeastBytes, declaration.size - start);
      const path = `${putArtifactPart.path.replace("{uploadId}", uploadId).replace("{offset}", String(start))}?size=${size}`;
      return { path, size, bytes: () => fileBytes(data, start, start + size) };
    };
    const { received } = await controlPlane.call(putArtifactPart, part, { signal, limitMs: partLimitMs, answers });
    if (received <= offset) throw refused("the control plane did not go on");
    offset = received;
  }
  const path = commitArtifact.path.replace("{uploadId}", uploadId);
  await controlPlane.call(commitArtifact, { json: "" }, { signal, limitMs: partLimitMs, answers, path });
}

/** As the control plane's own refusals arrive here. */
function refused(message: string): AppError {
  return new AppError("invalid_input", message, { attributes: { status: 409 } });
}

/** Results are small and matter more: when they are late, files wait a while. */
async function yieldToResults({ outbox, clock }: ArtifactUploaderDeps, signal: AbortSignal): Promise<void> {
  const endMs = clock.monotonicMs() + longestYieldMs;
  while (!signal.aborted && outbox.state().oldestSeconds > lateResultSeconds && clock.monotonicMs() < endMs) await sleep(lookMs, signal);
}
