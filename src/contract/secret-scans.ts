import { z } from "zod";
import type { Operation } from "./operation.ts";

/** A place where the value of a secret variable, or what looks like a credential, stands open. */
export const SecretFinding = z
  .object({
    entityType: z.enum(["CHECK", "CHECK_GROUP", "SNIPPET", "ALERT_CHANNEL", "INTEGRATION", "ENVIRONMENT_VARIABLE"]),
    entityId: z.string(),
    entityName: z.string().nullable(),
    checkType: z.string().nullable(),
    project: z.object({ logicalId: z.string(), name: z.string().nullable() }).nullable().describe("whose code owns it"),
    logicalId: z.string().nullable(),
    fieldPath: z.string().describe("such as request.headers[0].value"),
    fieldKey: z.string().nullable().describe("the name of the header, parameter or variable"),
    valuePreview: z.string().nullable().describe("its first characters, never more than four"),
  })
  .meta({ id: "SecretFinding" });
export type SecretFinding = z.infer<typeof SecretFinding>;

export const listSecretScans = {
  tag: "Accounts",
  rateLimit: "analytics",
  id: "listSecretScans",
  method: "GET",
  path: "/v1/secret-scans",
  summary: "List secrets that stand open in checks, groups, snippets and variables",
  description:
    "Looks through what is stored now: for values of the account's secret and locked variables, and for the forms of well-known tokens and private keys. What is " +
    "sealed is not found, as it is where it should be.",
  access: "admin",
  output: z.array(SecretFinding),
  successStatus: 200,
  example: {},
} as const satisfies Operation;

export const secretScanOperations = [listSecretScans] as const;
