import {
  createStatusPageSubscriptions,
  deleteStatusPageSubscription,
  listStatusPageSubscriptions,
  type StatusPageSubscription,
} from "#contract/status-pages/subscriptions.ts";
import type { SubscriptionDefinition } from "#domain/status-pages.ts";
import { type Handler, handler } from "../../http/handler.ts";
import { documentAddress } from "../../kinds/document-kind.ts";
import { findDocument } from "../../kinds/find-document.ts";
import { instant } from "../../kinds/instants.ts";
import { notFound } from "../../kinds/not-found.ts";
import type { DocumentRow, DocumentStore, SubscriberStore } from "../../storage/storage.ts";

export interface SubscriptionDeps {
  readonly documents: DocumentStore;
  readonly subscribers: Pick<SubscriberStore, "subscribe">;
  readonly nowMs: () => number;
}

const kind = "status-page-subscription";

export function statusPageSubscriptionHandlers({ documents, subscribers, nowMs }: SubscriptionDeps): readonly Handler[] {
  const pageOf = (accountId: number, statusPageId: string) =>
    findDocument(documents, accountId, "status-page", documentAddress("status-page", statusPageId));
  return [
    handler(listStatusPageSubscriptions, async ({ params: { statusPageId } }, { caller: { account } }) => {
      const { id: parentId } = await pageOf(account.id, statusPageId);
      return (await documents.list<SubscriptionDefinition>(account.id, kind, { parentId })).items.map(subscriptionView);
    }),
    handler(createStatusPageSubscriptions, async ({ params: { statusPageId }, body }, { caller: { account } }) => {
      const { id: parentId } = await pageOf(account.id, statusPageId);
      const status = body.autoVerify ? "VERIFIED" : "PENDING";
      const wanted = body.subscriptions.map(({ config: address }) => {
        return { accountId: account.id, pageId: parentId, address, isVerified: body.autoVerify };
      });
      const created = await subscribers.subscribe(wanted, nowMs());
      return { created, skipped: wanted.length - created, status } as const;
    }),
    handler(deleteStatusPageSubscription, async ({ params: { statusPageId, subscriptionId } }, { caller: { account } }) => {
      const page = await pageOf(account.id, statusPageId);
      const address = documentAddress(kind, subscriptionId);
      const row = await findDocument(documents, account.id, kind, address);
      const removed = row.parentId === page.id && (await documents.remove(account.id, kind, address));
      if (!removed) throw notFound("subscription", subscriptionId);
      return undefined;
    }),
  ];
}

function subscriptionView(row: DocumentRow<SubscriptionDefinition>): StatusPageSubscription {
  return {
    id: row.uuid,
    ...row.definition,
    created_at: instant(row.createdAtMs),
    updated_at: instant(row.updatedAtMs ?? row.createdAtMs),
  };
}
