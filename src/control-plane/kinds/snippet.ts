import type { SnippetCreate } from "#contract/snippets.ts";
import { documentKind } from "./document-kind.ts";
import { instant, instantOrNull } from "./instants.ts";

export const snippetKind = documentKind<SnippetCreate>()({
  kind: "snippet",
  create: (definition) => ({ definition }),
  update: (definition) => ({ definition }),
  view: ({ id, definition, createdAtMs, updatedAtMs }) => ({
    ...definition,
    id,
    created_at: instant(createdAtMs),
    updated_at: instantOrNull(updatedAtMs),
  }),
});
