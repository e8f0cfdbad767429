import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, NumberPathId, PathId, Uuid, UuidPathId } from "./primitives.ts";

const stored = {
  id: z.int(),
  token: z.string().describe("part of the trigger's address; whoever has it can run the check, and nothing else"),
  url: z.url().describe("the address to call"),
  created_at: Instant,
  called_at: Instant.nullable().describe("when it was called last"),
  updated_at: Instant.nullable().describe("always null: a trigger is deleted and made anew, never changed"),
};

/** The trigger of a check (reference). */
export const CheckTrigger = z.object({ ...stored, checkId: Uuid }).meta({ id: "CheckTrigger" });
export type CheckTrigger = z.output<typeof CheckTrigger>;

/** The trigger of a group. */
export const CheckGroupTrigger = z.object({ ...stored, groupId: z.int() }).meta({ id: "CheckGroupTrigger" });
export type CheckGroupTrigger = z.output<typeof CheckGroupTrigger>;

/** What came of a run that a token started (behaviour 3). */
export const TriggerOutcome = z
  .object({
    hasFailures: z.boolean().describe("false only where every run passed, degraded ones included"),
    responseTime: z.int().optional().describe("milliseconds, the longest of a check's locations; absent for groups"),
  })
  .meta({ id: "TriggerOutcome" });
export type TriggerOutcome = z.output<typeof TriggerOutcome>;

const common = { tag: "Triggers", rateLimit: "standard" } as const;
const ofCheck = {
  ...common,
  path: "/v1/triggers/checks/{checkId}",
  params: z.object({ checkId: UuidPathId }),
  example: { params: { checkId: exampleIds.check } },
} as const;
const ofGroup = {
  ...common,
  path: "/v1/triggers/check-groups/{groupId}",
  params: z.object({ groupId: NumberPathId }),
  example: { params: { groupId: exampleIds.group } },
} as const;
const read = { method: "GET", access: "run", successStatus: 200, description: "404 where none was made." } as const;
const create = {
  method: "POST",
  access: "write",
  successStatus: 201,
  description: "One that is there already is answered as it is. To change a token, delete the trigger first.",
} as const;
const remove = { method: "DELETE", access: "write", successStatus: 204, description: "Its address stops working at once." } as const;

export const getCheckTrigger = {
  ...ofCheck,
  ...read,
  id: "getCheckTrigger",
  summary: "Read the trigger of a check",
  output: CheckTrigger,
} as const satisfies Operation;

export const createCheckTrigger = {
  ...ofCheck,
  ...create,
  id: "createCheckTrigger",
  summary: "Make a trigger for a check: an address that runs it without a key",
  output: CheckTrigger,
} as const satisfies Operation;

export const deleteCheckTrigger = {
  ...ofCheck,
  ...remove,
  id: "deleteCheckTrigger",
  summary: "Delete the trigger of a check",
} as const satisfies Operation;

export const getGroupTrigger = {
  ...ofGroup,
  ...read,
  id: "getGroupTrigger",
  summary: "Read the trigger of a check group",
  output: CheckGroupTrigger,
} as const satisfies Operation;

export const createGroupTrigger = {
  ...ofGroup,
  ...create,
  id: "createGroupTrigger",
  summary: "Make a trigger for a check group: an address that runs its checks without a key",
  output: CheckGroupTrigger,
} as const satisfies Operation;

export const deleteGroupTrigger = {
  ...ofGroup,
  ...remove,
  id: "deleteGroupTrigger",
  summary: "Delete the trigger of a check group",
} as const satisfies Operation;

const call = {
  ...common,
  method: "GET",
  access: "public",
  rateLimit: "triggers",
  output: TriggerOutcome,
  successStatus: 200,
  alternative: {
    status: 503,
    description: "a run failed, was cancelled, or nobody ran it",
    holds: ({ hasFailures }: TriggerOutcome): boolean => hasFailures,
  },
  errors: [404, 408],
} as const;
const callText =
  "Waits for the end, at most 30 seconds: then 408, and the run goes on. Each call starts a run of its own. 404 for an unknown token, and " +
  "where nothing is activated.";

export const callCheckTrigger = {
  ...call,
  id: "callCheckTrigger",
  path: "/checks/{checkId}/trigger/{token}",
  summary: "Run a check now, and tell whether it passed",
  description: callText,
  params: z.object({ checkId: UuidPathId, token: PathId }),
  example: { params: { checkId: exampleIds.check, token: exampleIds.checkTriggerToken } },
} as const satisfies Operation;

export const callGroupTrigger = {
  ...call,
  id: "callGroupTrigger",
  path: "/check-groups/{groupId}/trigger/{token}",
  summary: "Run the checks of a group now, and tell whether all passed",
  description: `Runs \`concurrency\` of them at a time, in the order of \`groupOrder\`. ${callText}`,
  params: z.object({ groupId: NumberPathId, token: PathId }),
  example: { params: { groupId: exampleIds.group, token: exampleIds.groupTriggerToken } },
} as const satisfies Operation;

export const triggerOperations = [
  getCheckTrigger,
  createCheckTrigger,
  deleteCheckTrigger,
  getGroupTrigger,
  createGroupTrigger,
  deleteGroupTrigger,
  callCheckTrigger,
  callGroupTrigger,
] as const;
