import { z } from "zod";
import { alertListQuery } from "./check-alerts.ts";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, Uuid, UuidPathId } from "./primitives.ts";

/** Why slots never became a run. */
export const GapReason = z.enum(["control_plane_down", "store_unavailable", "clock_jump", "check_changed"]);

/** A span of slots of one check that never became a run: one entry, however long it is. Ours. */
export const CheckGap = z
  .object({
    checkId: Uuid,
    reason: GapReason.describe(
      "control_plane_down: none ran, or it stood still; store_unavailable: it could not write; clock_jump: its clock was set forward; check_changed: the check left its schedule before they could run",
    ),
    firstSlot: Instant,
    lastSlot: Instant,
    slots: z.int().min(1).describe("from the first to the last, all in equal steps"),
    locations: z.array(z.string()).describe("where the check ran then: codes of data centers and slug names"),
    runParallel: z.boolean().describe("true: the slots are missing at each of the locations; false: at one of them in turn"),
  })
  .meta({ id: "CheckGap" });
export type CheckGap = z.infer<typeof CheckGap>;

export const listGapsOfCheck = {
  tag: "Check results",
  method: "GET",
  access: "read",
  rateLimit: "standard",
  successStatus: 200,
  id: "listGapsOfCheck",
  path: "/v1/checks/{id}/gaps",
  summary: "List the gaps of a check, newest first",
  description: `Slots that never became a run, as the control plane was down, could not store, or its clock was set forward. Each slot of an
activated check that no maintenance window pauses ends as exactly one FINAL result, one MISSED result (\`resultType=MISSED\`), or in exactly
one gap. Gaps are kept as long as figures of days are.`,
  params: z.object({ id: UuidPathId }),
  query: z.object(alertListQuery),
  output: z.array(CheckGap),
  paged: true,
  example: { params: { id: exampleIds.check }, query: { limit: 20 } },
} as const satisfies Operation;

export const checkGapOperations = [listGapsOfCheck] as const;
