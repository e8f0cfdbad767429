import { z } from "zod";
import type { Operation } from "./operation.ts";
import { Uuid } from "./primitives.ts";

export const readBundle = {
  tag: "Agent protocol",
  rateLimit: "none",
  access: "agent-session",
  id: "readBundle",
  method: "GET",
  path: "/agent/v1/bundles/{sha256}",
  summary: "Read the project of tests of a job, whole or a range of it",
  description: "409 where the agent does not hold the job; 404 where the account of its check has no such bundle.",
  params: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  query: z.object({ jobId: Uuid, fence: z.coerce.number().int() }),
  file: true,
  successStatus: 200,
  errors: [404, 409],
} as const satisfies Operation;

export const agentBundleOperations = [readBundle] as const;
