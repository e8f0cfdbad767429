import { z } from "zod";

/**
 * A field of a body that clients send because they read it: documented as what it is, and ignored whatever it holds (behaviour 1).
 *
 * @param schema without component ids, which would have to be resolved elsewhere
 */
export function readOnly(schema: z.ZodType) {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: "input" });
  return z
    .unknown()
    .optional()
    .meta({ ...json, readOnly: true, description: "read-only: ignored in a body" });
}
