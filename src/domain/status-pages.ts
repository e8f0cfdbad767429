import type { StatusPageWrite } from "#contract/status-pages/pages.ts";

/* What is stored of status pages and of those who follow them. */

export interface StoredCard {
  readonly id: string;
  readonly name: string;
  readonly serviceIds: readonly string[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number | null;
}

export interface StatusPageDefinition {
  readonly settings: Omit<StatusPageWrite, "cards">;
  readonly cards: readonly StoredCard[];
}

/** The page is the document's parent, page and address are its name; it is open until it is verified. */
export interface SubscriptionDefinition {
  readonly type: "EMAIL";
  readonly address: string;
  readonly status: "PENDING" | "VERIFIED";
}

/** Whether a page shows one of these services. */
export function shows({ cards }: StatusPageDefinition, serviceIds: readonly string[]): boolean {
  return cards.some((card) => card.serviceIds.some((id) => serviceIds.includes(id)));
}
