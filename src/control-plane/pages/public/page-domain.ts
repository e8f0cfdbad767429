import { isIP } from "node:net";
import { CustomDomain, Subdomain } from "#contract/page-address.ts";
import type { PageRequest } from "../../http/page-routes.ts";
import { domainClaim } from "../../resources/page-addresses.ts";
import type { DocumentKind, DocumentRow, DocumentStore } from "../../storage/storage.ts";

export interface PageFinderDeps {
  readonly documents: Pick<DocumentStore, "byClaim">;
  /** Where the control plane itself is, by `PUBLIC_URL`; null where nobody said: then no page has a domain of its own. */
  readonly ownHost: string | null;
}

/** Stands in a path for the page whose own domain the browser asked for. No page can have it as its url. */
export const ownDomain = "~";

/**
 * Finds pages by the `{url}` of a path, or by their own domain. The first claim that a page has counts. No page takes the place of the control plane itself, whoever claims
 * its name: where nobody said which name that is, each may be.
 */
export function pageFinder<D>({ documents, ownHost }: PageFinderDeps, kind: DocumentKind, claimsOf: (url: string) => readonly string[]) {
  const byDomain = async (host: string): Promise<DocumentRow<D> | undefined> => {
    const isTheirs = ownHost !== null && CustomDomain.safeParse(host).success && isIP(host) === 0 && host !== ownHost;
    return isTheirs ? documents.byClaim<D>(kind, domainClaim(host)) : undefined;
  };
  return {
    byDomain,
    async find({ params: { url = "" }, host }: Pick<PageRequest, "params" | "host">): Promise<DocumentRow<D> | undefined> {
      if (url === ownDomain) return byDomain(host);
      if (!Subdomain.safeParse(url).success) return undefined;
      for (const claim of claimsOf(url)) {
        const row = await documents.byClaim<D>(kind, claim);
        if (row !== undefined) return row;
      }
      return undefined;
    },
  };
}
