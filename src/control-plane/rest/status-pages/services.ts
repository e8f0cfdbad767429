import {
  createStatusPageService,
  deleteStatusPageService,
  getStatusPageService,
  listStatusPageServices,
  type StatusPageService,
  updateStatusPageService,
} from "#contract/status-pages/services.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { type Handler, handler } from "../../http/handler.ts";
import { addressOf, findDocument, found } from "../../kinds/find-document.ts";
import { instant, instantOrNull } from "../../kinds/instants.ts";
import { removeDocument } from "../../kinds/remove-document.ts";
import type { AccountRow, DocumentRow, DocumentStore } from "../../storage/storage.ts";
import { cursorPage } from "../cursor-page.ts";

export interface StatusPageServiceDeps {
  readonly documents: DocumentStore;
  readonly nowMs: () => number;
}

interface ServiceDefinition {
  readonly name: string;
}
type ServiceRow = DocumentRow<ServiceDefinition>;

const kind = "status-page-service";

export function statusPageServiceHandlers({ documents, nowMs }: StatusPageServiceDeps): readonly Handler[] {
  return [
    handler(listStatusPageServices, async ({ query: { paginated, ...wish } }, { caller: { account } }) => {
      const { rows, nextId } = paginated
        ? await cursorPage<ServiceDefinition>(documents, account.id, kind, wish)
        : { rows: (await documents.list<ServiceDefinition>(account.id, kind)).items, nextId: null };
      return { length: rows.length, entries: rows.map((row) => serviceView(row, account)), nextId };
    }),
    handler(createStatusPageService, async ({ body: { name } }, { caller: { account } }) =>
      serviceView(await documents.create({ accountId: account.id, kind, definition: { name }, nowMs: nowMs() }), account),
    ),
    handler(getStatusPageService, async ({ params: { serviceId } }, { caller: { account } }) =>
      serviceView(await findDocument(documents, account.id, kind, addressOf(serviceId)), account),
    ),
    handler(updateStatusPageService, async ({ params: { serviceId }, body: { name } }, { caller: { account } }) => {
      const row = await documents.update(account.id, kind, addressOf(serviceId), () => ({ definition: { name } }), nowMs());
      return serviceView(found(row, kind, addressOf(serviceId)), account);
    }),
    handler(deleteStatusPageService, ({ params: { serviceId } }, { caller: { account } }) =>
      removeDocument(documents, account.id, kind, addressOf(serviceId)),
    ),
  ];
}

/** Services by their uuids, in one query; what was deleted is not among them. */
export async function servicesByUuid(
  documents: Pick<DocumentStore, "byUuids">,
  account: AccountRow,
  uuids: Iterable<string>,
): Promise<ReadonlyMap<string, StatusPageService>> {
  const rows = await documents.byUuids<ServiceDefinition>(account.id, kind, [...new Set(uuids)]);
  return new Map(rows.map((row) => [row.uuid, serviceView(row, account)]));
}

/** A service that a body names. */
export interface ServiceReference {
  readonly path: string;
  readonly id: string;
}

/**
 * Services of other accounts are as absent as missing ones.
 *
 * @throws {AppError} invalid_input naming the fields that name no service of the account
 */
export async function assertServices(
  documents: Pick<DocumentStore, "byUuids">,
  accountId: number,
  references: readonly ServiceReference[],
): Promise<void> {
  const ids = new Set(references.map(({ id }) => id.toLowerCase()));
  const known = new Set((await documents.byUuids(accountId, kind, [...ids])).map(({ uuid }) => uuid));
  const unknown = references.filter(({ id }) => !known.has(id.toLowerCase()));
  if (unknown.length === 0) return;
  throw invalidInput(unknown.map(({ path, id }) => ({ path, message: `names no service of this account; received "${id}"` })));
}

/** The same for the service whose incidents a check opens. What a stored check names may be gone; only what a body says is looked at. */
export async function assertTriggeredService(
  documents: Pick<DocumentStore, "byUuids">,
  accountId: number,
  { triggerIncident }: { readonly triggerIncident?: { readonly serviceId: string } | null | undefined },
): Promise<void> {
  if (triggerIncident) await assertServices(documents, accountId, [{ path: "triggerIncident.serviceId", id: triggerIncident.serviceId }]);
}

function serviceView(row: ServiceRow, account: AccountRow): StatusPageService {
  return {
    name: row.definition.name,
    id: row.uuid,
    accountId: account.uuid,
    created_at: instant(row.createdAtMs),
    updated_at: instantOrNull(row.updatedAtMs),
  };
}
