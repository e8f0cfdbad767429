import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Limit, Page } from "./primitives.ts";
import { secretField } from "./secret-fields.ts";

/** What stands for a secret in an answer. Sent back, it keeps the secret. */
export const secretMask = "********";

/** As shells and Node.js accept it in an environment. */
const VariableKey = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be letters, digits and underscores, not beginning with a digit");

const flags = {
  locked: z.boolean().default(false).describe("only keys of role READ_WRITE and higher read the value"),
  secret: z.boolean().default(false).describe("the value is stored sealed, never read back, and scrubbed from results"),
};

const stored = { key: z.string().min(1), locked: z.boolean(), secret: z.boolean() };

/** An account's environment variable as it is read. */
export const EnvironmentVariable = z
  .object({ ...stored, value: z.string().nullable().describe("null when it is secret, or locked and the key's role is below READ_WRITE") })
  .meta({ id: "EnvironmentVariable" });
export type EnvironmentVariable = z.infer<typeof EnvironmentVariable>;

/** The same as creation and update answer it. */
export const WrittenEnvironmentVariable = z
  .object({ ...stored, value: z.string().describe("asterisks when it is secret") })
  .meta({ id: "WrittenEnvironmentVariable" });
export type WrittenEnvironmentVariable = z.infer<typeof WrittenEnvironmentVariable>;

const Value = secretField("sealed, readable by a setting", z.string().max(32_768));

export const EnvironmentVariableCreate = z.object({ key: VariableKey, value: Value, ...flags }).meta({ id: "EnvironmentVariableCreate" });
export type EnvironmentVariableCreate = z.output<typeof EnvironmentVariableCreate>;

export const EnvironmentVariableUpdate = z
  .object({
    key: z.string().min(1).max(255).optional().describe("ignored: the key of a variable stays"),
    value: secretField(
      "sealed, readable by a setting",
      Value.min(1).nullable().describe("null, or the asterisks that a write answered, keep the value of a secret that stays one"),
    ),
    ...flags,
  })
  .meta({ id: "EnvironmentVariableUpdate" });
export type EnvironmentVariableUpdate = z.output<typeof EnvironmentVariableUpdate>;

const common = { tag: "Environment variables", rateLimit: "standard" } as const;
const byKey = { ...common, params: z.object({ key: z.string().min(1).max(255) }) } as const;

export const listVariables = {
  ...common,
  id: "listVariables",
  method: "GET",
  path: "/v1/variables",
  summary: "List environment variables",
  description: "The oldest first. Variables of a check win over those of its group, and those over the account's, which these are.",
  example: { query: { limit: 10, page: 1 } },
  access: "read",
  query: z.object({ limit: Limit, page: Page }),
  output: z.array(EnvironmentVariable),
  successStatus: 200,
  paged: true,
} as const satisfies Operation;

export const createVariable = {
  ...common,
  id: "createVariable",
  method: "POST",
  path: "/v1/variables",
  summary: "Create an environment variable",
  description: "Values of fewer than 4 characters are not scrubbed from results, also when they are secret.",
  example: { body: { key: "SHOP_TOKEN", value: "d5f0-41c9", secret: true } },
  access: "write",
  body: EnvironmentVariableCreate,
  output: WrittenEnvironmentVariable,
  successStatus: 201,
  errors: [409],
} as const satisfies Operation;

export const getVariable = {
  ...byKey,
  id: "getVariable",
  method: "GET",
  path: "/v1/variables/{key}",
  summary: "Read an environment variable",
  example: { params: { key: exampleIds.variableKey } },
  access: "read",
  output: EnvironmentVariable,
  successStatus: 200,
} as const satisfies Operation;

export const updateVariable = {
  ...byKey,
  id: "updateVariable",
  method: "PUT",
  path: "/v1/variables/{key}",
  summary: "Replace an environment variable; its key stays",
  description: "What is omitted becomes false. A secret stops being one only together with a new value.",
  example: { params: { key: exampleIds.variableKey }, body: { value: "https://api.example.com", locked: false, secret: false } },
  access: "write",
  body: EnvironmentVariableUpdate,
  output: WrittenEnvironmentVariable,
  successStatus: 200,
} as const satisfies Operation;

export const deleteVariable = {
  ...byKey,
  id: "deleteVariable",
  method: "DELETE",
  path: "/v1/variables/{key}",
  summary: "Delete an environment variable",
  example: { params: { key: exampleIds.variableKey } },
  access: "write",
  successStatus: 204,
} as const satisfies Operation;

export const variableOperations = [listVariables, createVariable, getVariable, updateVariable, deleteVariable] as const;
