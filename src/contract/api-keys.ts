import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import { ApiKeyScope } from "./key-scopes.ts";
import type { Operation } from "./operation.ts";
import { Instant, Uuid, UuidPathId } from "./primitives.ts";

/** What a key may do, from most to least (behaviour 1, Keys). */
export const ApiKeyRole = z.enum(["OWNER", "ADMIN", "READ_WRITE", "READ_RUN", "READ_ONLY"]);
export type ApiKeyRole = z.infer<typeof ApiKeyRole>;

const ApiKeyKind = z.enum(["user", "service"]);

/** A key of people or programs. Its raw value is shown once, at creation. */
export const ApiKey = z
  .object({
    id: Uuid,
    name: z.string(),
    kind: ApiKeyKind.describe("a user key needs the account header, a service key does not"),
    role: ApiKeyRole,
    maskedKey: z.string().describe("`...` and the last four characters"),
    created_at: Instant,
    lastUsedAt: Instant.nullable().describe("to the minute; null when never used"),
    expiresAt: Instant.nullable().describe("from then on the key is refused; null: never"),
    allowedNetworks: z.array(z.string()).nullable().describe("networks in CIDR form that it may be used from; null: any"),
    scopes: z.array(z.string()).nullable().describe("what it may do at most, as resource:action; null: all that its role may"),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof ApiKey>;

export const NewApiKey = ApiKey.extend({ rawKey: z.string().describe("shown only now") }).meta({ id: "NewApiKey" });
export type NewApiKey = z.infer<typeof NewApiKey>;

export const ApiKeyCreate = z
  .object({
    name: z.string().min(1).max(100).describe("what the key is for"),
    role: ApiKeyRole.default("READ_ONLY").describe("at most the role of the key that asks"),
    kind: ApiKeyKind.default("service"),
    expiresAt: z.iso.datetime({ offset: true }).nullable().default(null).describe("when the key ends, in the future; null: never"),
    allowedNetworks: z
      .array(z.string().max(50))
      .min(1)
      .max(50)
      .nullable()
      .default(null)
      .describe("addresses and networks in CIDR form that it may be used from; null: any"),
    scopes: z
      .array(ApiKeyScope)
      .min(1)
      .max(100)
      .nullable()
      .default(null)
      .describe(
        "what it may do at most, within its role, as resource:action; `write` includes `run`, which includes `read`; null: all that the role may",
      ),
  })
  .meta({ id: "ApiKeyCreate" });
export type ApiKeyCreate = z.output<typeof ApiKeyCreate>;

const common = { tag: "API keys", access: "admin", rateLimit: "standard" } as const;

export const listApiKeys = {
  ...common,
  id: "listApiKeys",
  method: "GET",
  path: "/v1/api-keys",
  summary: "List the account's API keys",
  description: "Oldest first, without the keys of private locations.",
  example: {},
  output: z.array(ApiKey),
  successStatus: 200,
} as const satisfies Operation;

export const createApiKey = {
  ...common,
  id: "createApiKey",
  method: "POST",
  path: "/v1/api-keys",
  summary: "Issue an API key",
  description:
    "The answer is the only place that shows `rawKey`. A key gives out keys up to its own role, so OWNER keys come from OWNER keys. A key that is limited itself (expiresAt, allowedNetworks, scopes) gives out none. Without a role it is a READ_ONLY key.",
  example: {
    body: {
      name: "Deployments",
      role: "READ_RUN",
      expiresAt: "2099-01-01T00:00:00Z",
      allowedNetworks: ["127.0.0.0/8", "10.0.0.0/8"],
      scopes: ["triggers:run", "check-sessions:read"],
    },
  },
  body: ApiKeyCreate,
  output: NewApiKey,
  successStatus: 201,
} as const satisfies Operation;

export const deleteApiKey = {
  ...common,
  id: "deleteApiKey",
  method: "DELETE",
  path: "/v1/api-keys/{id}",
  summary: "Revoke an API key",
  description:
    "Takes effect at once in the process that answers, and within 5 seconds in others on the same database. The last OWNER key stays: 409. A key revokes keys up to its own role.",
  example: { params: { id: exampleIds.apiKey } },
  params: z.object({ id: UuidPathId }),
  successStatus: 204,
  errors: [409],
} as const satisfies Operation;

/** As the public command line asks for a key after a sign-in. */
export const createOwnApiKey = {
  ...common,
  id: "createOwnApiKey",
  method: "POST",
  path: "/users/me/api-keys",
  summary: "Issue a user key with the role of the caller",
  description: "The answer is the only place that shows it. A key that is limited itself gives out none.",
  example: { query: { name: "Laptop" } },
  query: z.object({ name: z.string().min(1).max(100).describe("what the key is for") }),
  output: z.object({ key: z.string().describe("the raw key, shown only now") }).meta({ id: "OwnApiKey" }),
  successStatus: 201,
} as const satisfies Operation;

export const apiKeyOperations = [listApiKeys, createApiKey, createOwnApiKey, deleteApiKey] as const;
