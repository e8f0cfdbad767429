import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { Instant, Limit, NumberPathId, Page } from "./primitives.ts";

/** Code that scripts of checks share (spec 2.18). */
export const Snippet = z
  .object({
    id: z.number(),
    name: z.string(),
    script: z.string(),
    created_at: Instant,
    updated_at: Instant.nullable(),
  })
  .meta({ id: "Snippet" });
export type Snippet = z.infer<typeof Snippet>;

export const SnippetCreate = z
  .object({
    name: z.string().min(1).max(255).describe("scripts import it as ./snippets/<name>.js; of two snippets with one name the newest"),
    script: z.string().min(1).max(262_144).describe("Node.js code"),
  })
  .meta({ id: "SnippetCreate" });
export type SnippetCreate = z.output<typeof SnippetCreate>;

const common = { tag: "Snippets", rateLimit: "standard" } as const;
const byId = { ...common, params: z.object({ id: NumberPathId }) } as const;
const example = { name: "login", script: "export const user = { name: process.env.SHOP_USER };" };

export const listSnippets = {
  ...common,
  id: "listSnippets",
  method: "GET",
  path: "/v1/snippets",
  summary: "List snippets",
  description: "The oldest first.",
  example: { query: { limit: 10, page: 1 } },
  access: "read",
  query: z.object({ limit: Limit, page: Page }),
  output: z.array(Snippet),
  successStatus: 200,
  paged: true,
} as const satisfies Operation;

export const createSnippet = {
  ...common,
  id: "createSnippet",
  method: "POST",
  path: "/v1/snippets",
  summary: "Create a snippet",
  description: "Its code is not run here, so an error in it shows in the first run of a check that uses it.",
  example: { body: example },
  access: "write",
  body: SnippetCreate,
  output: Snippet,
  successStatus: 201,
} as const satisfies Operation;

export const getSnippet = {
  ...byId,
  id: "getSnippet",
  method: "GET",
  path: "/v1/snippets/{id}",
  summary: "Read a snippet",
  example: { params: { id: exampleIds.snippet } },
  access: "read",
  output: Snippet,
  successStatus: 200,
} as const satisfies Operation;

export const updateSnippet = {
  ...byId,
  id: "updateSnippet",
  method: "PUT",
  path: "/v1/snippets/{id}",
  summary: "Replace a snippet",
  description: "Runs that start later use the new code.",
  example: { params: { id: exampleIds.snippet }, body: example },
  access: "write",
  body: SnippetCreate,
  output: Snippet,
  successStatus: 200,
} as const satisfies Operation;

export const deleteSnippet = {
  ...byId,
  id: "deleteSnippet",
  method: "DELETE",
  path: "/v1/snippets/{id}",
  summary: "Delete a snippet; checks and groups that name it run without it",
  example: { params: { id: exampleIds.snippet } },
  access: "write",
  successStatus: 204,
} as const satisfies Operation;

export const snippetOperations = [listSnippets, createSnippet, getSnippet, updateSnippet, deleteSnippet] as const;
