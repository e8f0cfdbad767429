import type { FileOutput } from "#contract/operation.ts";
import type { StreamedFile } from "../http/handler.ts";
import { notFound } from "../kinds/not-found.ts";
import type { TraceFile } from "../trace-viewer/trace-links.ts";
import type { CheckResultDeps } from "./check-results.ts";
import { findCheck } from "./find-check.ts";
import { assetFile } from "./result-assets.ts";
import { type TestedResultDeps, testedAsset } from "./test-sessions.ts";

type TraceFileDeps = Pick<CheckResultDeps, "checks" | "results" | "blobs"> & TestedResultDeps;

/** The file that the link to a trace names. @throws {AppError} not_found */
export async function traceFile(deps: TraceFileDeps, file: TraceFile): Promise<FileOutput | StreamedFile> {
  return assetFile(await (file.of === "check" ? ofCheck(deps, file) : ofTestSession(deps, file)), deps.blobs);
}

async function ofCheck({ checks, results }: TraceFileDeps, { accountId, id, resultId, name }: TraceFile) {
  const check = await findCheck(checks, accountId, id);
  const asset = await results.asset(check.id, resultId.toLowerCase(), name);
  if (asset === undefined) throw notFound("file", name);
  return asset;
}

function ofTestSession(deps: TraceFileDeps, { accountId, id: testSessionId, resultId: testSessionResultId, name }: TraceFile) {
  return testedAsset(deps, accountId, { testSessionId, testSessionResultId, name });
}
