import { AppError, hasCode } from "#domain/app-error.ts";

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

/** Dashboards and status pages share it: a host name leads to one page. */
export function domainClaim(domain: string): string {
  return `page-domain:${domain.toLowerCase()}`;
}

/** @throws {AppError} conflict that names the field when `write` found one of the addresses taken */
export async function withAddresses<T>(addresses: readonly PageAddress[], write: (claims: readonly string[]) => Promise<T>): Promise<T> {
  try {
    return await write(addresses.map(({ claim }) => claim));
  } catch (error) {
    const taken = hasCode(error, "conflict") ? addresses.find(({ claim }) => claim === error.attributes["taken"]) : undefined;
    if (taken === undefined) throw error;
    throw new AppError("conflict", `"${taken.field}" is taken: another page has ${taken.value}`, {
      cause: error,
      attributes: { field: taken.field, taken: taken.value },
    });
  }
}
