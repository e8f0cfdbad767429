import { createHash } from "node:crypto";
import type { LeasedJob } from "#contract/agent-protocol.ts";
import { putBytes, type RawAnswer } from "../../support/raw-call.ts";
import type { Answer } from "../call.ts";
import { apiCheck, type ControlPlaneUnderTest } from "../control-plane-under-test.ts";
import { type FakeAgent, reportOf } from "../fake-agent.ts";

export const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** What an agent announces of these bytes for its job. */
export function declarationOf(job: LeasedJob, bytes: Buffer, changes: object = {}): object {
  const { jobId, attempt, fence } = job;
  const file = { name: "body.bin", type: "file", contentType: "application/octet-stream" };
  return { jobId, attempt, fence, ...file, size: bytes.length, sha256: sha256(bytes), ...changes };
}

/** A job of a new check at this location, with its result stored. */
export async function finishedJob(plane: ControlPlaneUnderTest, agent: FakeAgent, code = "eu-west-1"): Promise<LeasedJob> {
  const { id } = (await plane.call("POST", "/v1/checks/api", { body: apiCheck({ locations: [code] }) })).body;
  await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: id } } });
  const [job] = await agent.lease();
  if (job === undefined) throw new Error("no job");
  await agent.report(reportOf(job, { hasFailures: true, errorMessage: "no" }));
  return job;
}

export const declare = (agent: FakeAgent, declaration: object): Promise<Answer> => agent.send("POST", "/artifacts", declaration);

export const commit = (agent: FakeAgent, uploadId: string): Promise<Answer> =>
  agent.send("POST", `/artifacts/${uploadId}/commit`, undefined);

export function putPart(base: string, agent: FakeAgent, uploadId: string, offset: number | string, bytes: Buffer): Promise<RawAnswer> {
  return putBytes(`${base}/agent/v1/artifacts/${uploadId}/parts/${offset}`, agent.session.sessionToken, bytes);
}

/** From the announcement to the commit. */
export async function uploadAll(base: string, agent: FakeAgent, declaration: object, bytes: Buffer): Promise<Answer> {
  const announced = await declare(agent, declaration);
  if (announced.status !== 200) return announced;
  const { uploadId, partBytes, received } = announced.body;
  for (let offset = received; offset < bytes.length; offset += partBytes) {
    const { status, body } = await putPart(base, agent, uploadId, offset, bytes.subarray(offset, offset + partBytes));
    if (status !== 200) throw new Error(`part at ${offset}: ${status} ${JSON.stringify(body)}`);
  }
  return commit(agent, uploadId);
}

/** Where a job's files are listed. */
export async function assetsOf(plane: ControlPlaneUnderTest, { payload }: LeasedJob): Promise<string> {
  const { entries } = (await plane.call("GET", `/v2/check-results/${payload.checkId}?resultType=ALL`)).body;
  return `/v1/check-results/${payload.checkId}/${entries[0].id}/assets`;
}

export async function download(
  plane: ControlPlaneUnderTest,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
  const answer = await fetch(`${plane.base}${path}`, { headers: { authorization: `Bearer ${plane.ownerKey}`, ...headers } });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}
