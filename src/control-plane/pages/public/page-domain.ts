import { isIP } from "node:net";
import { CustomDomain, Subdomain } from "#contract/page-address.ts";
import type { PageRequest } from "../../http/page-routes.ts";
import { domainClaim } from "../../resources/page-addresses.ts";
import type { DocumentKind, DocumentRow, DocumentStore } from "../../storage/storage.ts";
import { shortMemory } from "./short-memory.ts";

/** Names that lead to one page each, and to nothing else of the control plane. */
export interface PageDomains {
  /** Whether a page may have this name. */
  readonly mayBe: (host: string) => boolean;
  /** Whether a page has it. A change of that counts within ten seconds. */
  readonly isTaken: (host: string) => Promise<boolean>;
}

const kinds = ["dashboard", "status-page"] as const satisfies readonly DocumentKind[];

const ttlMs = 10_000;
const maxEntries = 1_000;

/**
 * No page takes the place of the control plane itself, whoever claims its name: where nobody said which name that is, each may be.
 *
 * @param deps.publicUrl where the control plane itself is, by `PUBLIC_URL`; null where nobody said: then no page has a domain of its own
 */
export function createPageDomains(deps: {
  readonly documents: Pick<DocumentStore, "byClaim">;
  readonly publicUrl: string | null;
  readonly nowMs: () => number;
}): PageDomains {
  const { documents, publicUrl, nowMs } = deps;
  const ownHost = publicUrl === null ? null : new URL(publicUrl).hostname;
  const memory = shortMemory<boolean>({ ttlMs, maxEntries, nowMs });
  const mayBe = (host: string): boolean => ownHost !== null && CustomDomain.safeParse(host).success && isIP(host) === 0 && host !== ownHost;

  async function find(host: string): Promise<boolean> {
    for (const kind of kinds) if ((await documents.byClaim(kind, domainClaim(host))) !== undefined) return true;
    return false;
  }

  return { mayBe, isTaken: async (host) => mayBe(host) && memory(host, () => find(host)) };
}

export interface PageFinderDeps {
  readonly documents: Pick<DocumentStore, "byClaim">;
  readonly domains: PageDomains;
}

/** Stands in a path for the page whose own domain the browser asked for. No page can have it as its url. */
export const ownDomain = "~";

/** Finds pages by the `{url}` of a path, or by their own domain, where there are no others. The first claim that a page has counts. */
export function pageFinder<D>({ documents, domains }: PageFinderDeps, kind: DocumentKind, claimsOf: (url: string) => readonly string[]) {
  const byDomain = async (host: string): Promise<DocumentRow<D> | undefined> =>
    domains.mayBe(host) ? documents.byClaim<D>(kind, domainClaim(host)) : undefined;
  return {
    byDomain,
    async find({ params: { url = "" }, host }: Pick<PageRequest, "params" | "host">): Promise<DocumentRow<D> | undefined> {
      if (url === ownDomain) return byDomain(host);
      if (!Subdomain.safeParse(url).success || (await domains.isTaken(host))) return undefined;
      for (const claim of claimsOf(url)) {
        const row = await documents.byClaim<D>(kind, claim);
        if (row !== undefined) return row;
      }
      return undefined;
    },
  };
}
