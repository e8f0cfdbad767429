import type { DocumentKind } from "./document-store.ts";

/** That a page of an account wants to be reached under a domain. */
export interface DomainClaim {
  /** See `domainClaim`. */
  readonly claim: string;
  readonly domain: string;
  readonly kind: DocumentKind;
  readonly accountId: number;
  readonly accountUuid: string;
  /** When the account showed that the domain is its own; null before. */
  readonly provenAtMs: number | null;
}

export interface PageDomainStore {
  /** Of all accounts: those that are proved first, the earliest first, then in the order of the pages. */
  claimsOf(domain: string): Promise<readonly DomainClaim[]>;
  /** In the order of the domains. */
  ofAccount(accountId: number): Promise<readonly DomainClaim[]>;
  /** A claim that is proved already, or that is gone, stays as it is. */
  prove(claim: string, nowMs: number): Promise<void>;
}
