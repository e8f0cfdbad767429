import { z } from "zod";

/** The body of every error (spec 7, behaviour 1). `error` is the status text; `message` says which field, what came, what is allowed. */
export const ErrorBody = z
  .object({
    statusCode: z.int(),
    error: z.string(),
    message: z.string(),
    deploymentId: z.string().optional().describe("409 of a deployment: the one that is at it"),
    errorCode: z.string().optional().describe("what the public command line tells apart by more than the status"),
    attributes: z.record(z.string(), z.unknown()).optional().describe("validation: {issues: [{path, message}]}"),
  })
  .meta({ id: "ErrorBody" });
export type ErrorBody = z.infer<typeof ErrorBody>;
