import type { StatusPageService } from "#contract/status-pages/services.ts";
import type { AccountRow, DocumentRow, DocumentStore } from "../storage/storage.ts";
import { documentKind } from "./document-kind.ts";
import { instant, instantOrNull } from "./instants.ts";

interface StoredService {
  readonly name: string;
}

export const statusPageServiceKind = documentKind<StoredService>()({
  kind: "status-page-service",
  create: ({ name }) => ({ definition: { name } }),
  update: ({ name }) => ({ definition: { name } }),
  view: (row, { account }) => serviceView(row, account),
});

/** Services by their uuids, in one query; what was deleted is not among them. */
export async function servicesByUuid(
  documents: Pick<DocumentStore, "byUuids">,
  account: AccountRow,
  uuids: Iterable<string>,
): Promise<ReadonlyMap<string, StatusPageService>> {
  const rows = await documents.byUuids<StoredService>(account.id, "status-page-service", [...new Set(uuids)]);
  return new Map(rows.map((row) => [row.uuid, serviceView(row, account)]));
}

function serviceView({ uuid, definition: { name }, createdAtMs, updatedAtMs }: DocumentRow<StoredService>, account: AccountRow) {
  return { name, id: uuid, accountId: account.uuid, created_at: instant(createdAtMs), updated_at: instantOrNull(updatedAtMs) };
}
