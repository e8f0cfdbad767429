import { z } from "zod";

/**
 * The members of a result for check types that do not run yet: always null. Their shapes are declared because existing clients read
 * them (reference).
 */

const Freeform = z.record(z.string(), z.unknown());
const Freeforms = z.array(Freeform).nullable().optional();
const AssetNames = z.array(z.string().nullable()).nullable().optional();
const Lines = z.array(z.unknown()).nullable().optional();
const text = z.string().optional();
const textOrNull = z.string().nullable().optional();
const flag = z.boolean().optional();
const freeformOrNull = Freeform.nullable().optional();

export const AgenticCheckResult = z
  .object({
    summary: textOrNull,
    prompt: textOrNull,
    assertions: z
      .array(z.object({ condition: text, passed: flag, actual: text, expected: text }))
      .nullable()
      .optional(),
    suggestions: z
      .array(
        z.object({
          summary: text,
          prompt: text,
          promptReplacement: text,
          secrets: z.array(z.string()).optional(),
          category: z.enum(["credentials", "endpoint", "configuration"]).optional(),
        }),
      )
      .nullable()
      .optional(),
    steps: z
      .array(
        z.object({
          type: z.enum(["tool_call", "tool_result", "message"]).optional(),
          name: text,
          input: Freeform.optional(),
          output: text,
          timestamp: text,
          sequenceNumber: z.int().optional(),
        }),
      )
      .nullable()
      .optional(),
    errors: Freeforms,
    artifactManifest: freeformOrNull,
    jobLog: Lines,
    jobAssets: AssetNames,
    pcapDataUrl: textOrNull,
  })
  .meta({ id: "AgenticCheckResult" });
