import { listPageDomains } from "#contract/page-domains.ts";
import { type Handler, handler } from "../http/handler.ts";
import { domainRecord } from "../outgoing/domain-proof.ts";
import type { PageDomainStore } from "../storage/storage.ts";

export interface PageDomainHandlerDeps {
  readonly pageDomains: PageDomainStore;
  readonly pageDomainsTrusted: boolean;
  readonly hashOf: (text: string) => string;
}

export function pageDomainHandlers({ pageDomains, pageDomainsTrusted, hashOf }: PageDomainHandlerDeps): readonly Handler[] {
  return [
    handler(listPageDomains, async (_input, { caller: { account } }) =>
      (await pageDomains.ofAccount(account.id)).map((claim) => ({
        domain: claim.domain,
        isProved: pageDomainsTrusted || claim.provenAtMs !== null,
        record: domainRecord(hashOf, claim),
      })),
    ),
  ];
}
