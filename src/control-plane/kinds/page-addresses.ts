import { AppError, hasCode } from "#domain/app-error.ts";
import type { PageDomainStore } from "../storage/storage.ts";

/** How a public page is reached; one page of the installation can have it. */
export interface PageAddress {
  /** The field of the body that says it. */
  readonly field: string;
  readonly value: string;
  /** See `DocumentStore`; in lower case, as host names are. */
  readonly claim: string;
}

/** Case tells no addresses apart, so neither do claims. */
export function dashboardUrlClaim(url: string): string {
  return `dashboard-url:${url.toLowerCase()}`;
}

export function statusPageUrlClaim(url: string): string {
  return `status-page-url:${url.toLowerCase()}`;
}

/** Dashboards and status pages of an account share it: a host name leads to one page. Of several accounts the one has it that proves it. */
export function domainClaim(accountId: number, domain: string): string {
  return `page-domain:${accountId}:${domain.toLowerCase()}`;
}

export interface DomainDeps {
  readonly pageDomains: Pick<PageDomainStore, "claimsOf">;
  readonly pageDomainsTrusted: boolean;
}

/** A claim that nobody proved keeps nobody out, but where domains need no proof. @throws {AppError} conflict when another account has the domain */
export async function refuseDomainOfOthers(
  { pageDomains, pageDomainsTrusted }: DomainDeps,
  accountId: number,
  domain: string | null,
): Promise<void> {
  if (!domain) return;
  const [first] = await pageDomains.claimsOf(domain);
  if (first === undefined || first.accountId === accountId || (first.provenAtMs === null && !pageDomainsTrusted)) return;
  throw taken({ field: "customDomain", value: domain });
}

function taken({ field, value }: Pick<PageAddress, "field" | "value">, cause?: unknown): AppError {
  return new AppError("conflict", `"${field}" is taken: another page has ${value}`, { cause, attributes: { field, taken: value } });
}

/** @throws {AppError} conflict that names the field when `write` found one of the addresses taken */
export async function withAddresses<T>(addresses: readonly PageAddress[], write: (claims: readonly string[]) => Promise<T>): Promise<T> {
  try {
    return await write(addresses.map(({ claim }) => claim));
  } catch (error) {
    const address = hasCode(error, "conflict") ? addresses.find(({ claim }) => claim === error.attributes["taken"]) : undefined;
    throw address === undefined ? error : taken(address, error);
  }
}
