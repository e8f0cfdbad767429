import { z } from "zod";
import { ApiKeyRole } from "./api-keys.ts";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { absentWhereEmpty, Instant, Limit, QueryBoolean, QueryTime, queryList } from "./primitives.ts";

/** One change, sign-in or refusal: who, when, what, from where. Of values only what is no secret. */
export const AuditLogEntry = z
  .object({
    id: z.string(),
    created_at: Instant,
    actor: z.object({
      type: z.enum(["key", "user", "command-line"]).describe("user: somebody who was signed in to the console"),
      keyId: z.string().nullable().describe("null for a user and on the command line"),
      maskedKey: z.string().nullable(),
      kind: z.enum(["user", "service", "location"]).nullable(),
      userId: z.string().nullable().describe("null for a key and on the command line"),
      userName: z.string().nullable().describe("the e-mail address that the user had"),
      role: ApiKeyRole.nullable(),
    }),
    operation: z.string().describe("id of the operation, as in the OpenAPI document, or of a form of the console"),
    method: z.string().nullable().describe("null on the command line"),
    path: z.string().nullable().describe("the address that was called, without its query; null on the command line"),
    resourceId: z.string().nullable().describe("id of what was made, changed or deleted; null where there is no such thing"),
    fields: z.array(z.string()).describe("names of the fields that the body gave; never their values"),
    changes: z
      .array(
        z.object({
          field: z.string().describe("its path in the object, such as request.url"),
          before: z.string().nullable().describe("null: it had no value, or hidden"),
          after: z.string().nullable().describe("null: it has no value, or hidden"),
          hidden: z.boolean().describe("it is or may be a secret: only that it changed is known"),
        }),
      )
      .describe(
        "what an update made of each field, at most 40, values cut after 160 characters; of a deletion the name. Empty for what older versions wrote",
      ),
    status: z.int().nullable().describe("status of the answer: 400 and above is a refusal; null on the command line"),
    requestId: z.string().nullable().describe("`x-request-id` of the request, as in the logs"),
    remoteAddress: z.string().nullable().describe("who connected: behind a proxy, the proxy"),
  })
  .meta({ id: "AuditLogEntry" });
export type AuditLogEntry = z.infer<typeof AuditLogEntry>;

export const AuditLog = z
  .object({
    length: z.int().describe("entries in this answer"),
    entries: z.array(AuditLogEntry),
    nextId: z.string().nullable().describe("null at the end"),
  })
  .meta({ id: "AuditLog" });
export type AuditLog = z.infer<typeof AuditLog>;

/** Where a page of the log ends: epoch milliseconds and number of its last entry. */
const Cursor = z
  .string()
  .regex(/^\d{1,15}-\d{1,15}$/, "must be the nextId of an answer")
  .transform((text) => {
    const [atMs = 0, id = 0] = text.split("-").map(Number);
    return { atMs, id };
  });

export const AuditLogQuery = z.object({
  limit: Limit,
  nextId: absentWhereEmpty(Cursor).describe("cursor from the answer before"),
  from: QueryTime.optional().describe("at or after; unix timestamp (seconds or milliseconds), ISO day (UTC) or instant"),
  to: QueryTime.optional().describe("before; unix timestamp (seconds or milliseconds), ISO day (UTC) or instant"),
  operation: absentWhereEmpty(queryList(z.string().max(100)).pipe(z.array(z.string()).min(1).max(50))).describe(
    "id of an operation, or several between commas",
  ),
  refused: QueryBoolean.optional().describe("only refusals, or only what was done"),
  keyId: z.string().max(100).optional().describe("id of the key that did it"),
  userId: z.string().max(100).optional().describe("id of the user who did it"),
  resourceId: z.string().min(1).max(100).optional().describe("id of what was made, changed or deleted"),
});
export type AuditLogQuery = z.output<typeof AuditLogQuery>;

export const listAuditLog = {
  id: "listAuditLog",
  method: "GET",
  path: "/v1/audit-log",
  tag: "Audit log",
  summary: "List who changed what, newest first, by cursor",
  description:
    "Every successful request of a key or of somebody signed in that is not a GET, what members do to each other in the console, and keys that the command line made or revoked: such an entry is written before the request is answered. Then sign-ins (`signIn`, `signOut`), those that were refused (status 401) with whom they claimed to be, what a role, scope or network refused (403): at most 30 refusals and 600 others a minute from one address in one account; and a key's first use from a network (`useKeyFromNewAddress`), within a minute; of more than 50 such networks a minute their number (`useKeyFromMoreAddresses`). Kept for AUDIT_KEEP_DAYS, and sent out as JSON lines by AUDIT_OUTPUT.",
  example: { query: { limit: 20, operation: "createApiKey", keyId: exampleIds.apiKey } },
  access: "admin",
  rateLimit: "standard",
  query: AuditLogQuery,
  output: AuditLog,
  successStatus: 200,
} as const satisfies Operation;

export const auditLogOperations = [listAuditLog] as const;
