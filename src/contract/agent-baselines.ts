import { z } from "zod";
import { JobRef } from "./agent-protocol.ts";
import type { Operation } from "./operation.ts";

/** Of one picture, and of all pictures of a check. */
export const baselineLimits = { pictureBytes: 5_000_000, checkBytes: 100_000_000, checkPictures: 1_000 } as const;

/** A picture that screenshots of a check are compared with, by its test, its project and its own name, as Playwright writes them. */
export const BaselineName = z.object({
  browser: z.int().min(1).max(100_000).describe("major version of the browser that it was taken with"),
  name: z
    .string()
    .max(1_000)
    .regex(/^(?!.*(?:^|\/)\.{0,2}(?:\/|$))[^\\\0]+\.png$/, "must be a path to a .png, without . and .. in it"),
});
export type BaselineName = z.output<typeof BaselineName>;

/** In the place of a browser's version: the picture came with the code of its check, and is named as Playwright names those beside a script. */
export const browserOfCode = 1;

/** One that is kept. A picture never changes; another one may take its place. */
export const KeptBaseline = BaselineName.extend({ writtenAt: z.number().optional().describe("epoch milliseconds") });
export type KeptBaseline = z.output<typeof KeptBaseline>;

const data = z.base64().max(Math.ceil(baselineLimits.pictureBytes / 3) * 4);

const baselineOperation = {
  tag: "Agent protocol",
  rateLimit: "none",
  method: "POST",
  access: "agent-session",
  successStatus: 200,
} as const;

export const listBaselines = {
  ...baselineOperation,
  id: "listBaselines",
  path: "/agent/v1/baselines/list",
  summary: "Name the pictures that screenshots of a job's check are compared with",
  description: "409 where the agent does not hold the job.",
  body: JobRef,
  output: z.object({
    baselines: z.array(KeptBaseline),
    isCodeNamed: z.boolean().optional().describe("pictures stand beside their script, under the names that code has them by"),
  }),
  errors: [409],
} as const satisfies Operation;

export const readBaseline = {
  ...baselineOperation,
  id: "readBaseline",
  path: "/agent/v1/baselines/read",
  summary: "Read one of them",
  description: "409 where the agent does not hold the job.",
  body: JobRef.extend(BaselineName.shape),
  output: z.object({ data }),
  errors: [404, 409],
} as const satisfies Operation;

export const keepBaseline = {
  ...baselineOperation,
  id: "keepBaseline",
  path: "/agent/v1/baselines/keep",
  summary: "Keep the first picture of its name; where there is one it stays",
  description: `409 where the agent does not hold the job. 413 where the check would have more than ${baselineLimits.checkPictures} of them, or ${baselineLimits.checkBytes} bytes.`,
  body: JobRef.extend({ ...BaselineName.shape, data }),
  output: z.object({}),
  errors: [409, 413],
} as const satisfies Operation;

export const agentBaselineOperations = [listBaselines, readBaseline, keepBaseline] as const;
