import { timingSafeEqual } from "node:crypto";

/** What a link in a mail lets its reader do. */
export type LinkPurpose = "confirm" | "unsubscribe";

export interface LinkDeps {
  /** Keyed with the installation's pepper, so nobody else makes one. */
  readonly hashOf: (text: string) => string;
  readonly publicUrl: () => string;
}

/** The address of the page that asks once more before it does so. */
export function subscriptionLink({ hashOf, publicUrl }: LinkDeps, purpose: LinkPurpose, uuid: string): string {
  return `${publicUrl().replace(/\/+$/, "")}/subscriptions/${uuid}.${proof(hashOf, purpose, uuid)}/${purpose}`;
}

/** The uuid of the subscription that a token of such a link is for; undefined where we did not make it for this purpose. */
export function subscriptionOf(hashOf: LinkDeps["hashOf"], purpose: LinkPurpose, token: string): string | undefined {
  const [, uuid = "", given = ""] = /^([0-9a-f-]{36})\.([0-9a-f]{64})$/.exec(token) ?? [];
  const expected = proof(hashOf, purpose, uuid);
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected)) ? uuid : undefined;
}

function proof(hashOf: LinkDeps["hashOf"], purpose: LinkPurpose, uuid: string): string {
  return hashOf(`${purpose} subscription ${uuid}`);
}
