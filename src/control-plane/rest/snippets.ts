import {
  createSnippet,
  deleteSnippet,
  getSnippet,
  listSnippets,
  type Snippet,
  type SnippetCreate,
  updateSnippet,
} from "#contract/snippets.ts";
import { type Handler, handler } from "../http/handler.ts";
import { findDocument, found } from "../kinds/find-document.ts";
import { instant, instantOrNull } from "../kinds/instants.ts";
import { removeDocument } from "../kinds/remove-document.ts";
import type { DocumentRow, DocumentStore } from "../storage/storage.ts";

export interface SnippetDeps {
  readonly documents: Pick<DocumentStore, "create" | "list" | "find" | "update" | "remove">;
  readonly nowMs: () => number;
}

const kind = "snippet";

export function snippetHandlers({ documents, nowMs }: SnippetDeps): readonly Handler[] {
  return [
    handler(listSnippets, async ({ query }, { caller }) => {
      const { items, total } = await documents.list<SnippetCreate>(caller.account.id, kind, query);
      return { items: items.map(view), total };
    }),
    handler(createSnippet, async ({ body }, { caller }) =>
      view(await documents.create({ accountId: caller.account.id, kind, definition: body, nowMs: nowMs() })),
    ),
    handler(getSnippet, async ({ params }, { caller }) =>
      view(await findDocument<SnippetCreate>(documents, caller.account.id, kind, params)),
    ),
    handler(updateSnippet, async ({ params, body }, { caller }) => {
      const row = await documents.update<SnippetCreate>(caller.account.id, kind, params, () => ({ definition: body }), nowMs());
      return view(found(row, kind, params));
    }),
    handler(deleteSnippet, ({ params }, { caller }) => removeDocument(documents, caller.account.id, kind, params)),
  ];
}

function view({ id, definition, createdAtMs, updatedAtMs }: DocumentRow<SnippetCreate>): Snippet {
  return { id, ...definition, created_at: instant(createdAtMs), updated_at: instantOrNull(updatedAtMs) };
}
