import { isIP } from "node:net";
import { CustomDomain, Subdomain } from "#contract/page-address.ts";
import type { Logger } from "#daemon/logger.ts";
import type { PageRequest } from "../../http/page-routes.ts";
import { challengeTexts, domainRecord } from "../../outgoing/domain-proof.ts";
import type { DocumentKind, DocumentRow, DocumentStore, DomainClaim, PageDomainStore } from "../../storage/storage.ts";
import { shortMemory } from "./short-memory.ts";

/** Names that lead to one page each, and to nothing else of the control plane. */
export interface PageDomains {
  /** Whether a page has this name. A change of that counts within ten seconds. */
  readonly isTaken: (host: string) => Promise<boolean>;
  /** The claim of the page that has it. */
  readonly claimOf: (host: string) => Promise<DomainClaim | undefined>;
}

const ttlMs = 10_000;
const maxEntries = 1_000;
/** Between two looks for the record of a domain that nobody proved. */
const lookAgainMs = 60_000;

export interface PageDomainDeps {
  readonly pageDomains: PageDomainStore;
  /** Where the control plane itself is, by `PUBLIC_URL`; null where nobody said: then no page has a domain of its own. */
  readonly publicUrl: string | null;
  /** The first page that claims a domain has it. */
  readonly pageDomainsTrusted: boolean;
  /** Name servers; those of the host when empty. */
  readonly pageDomainDns: readonly string[];
  readonly hashOf: (text: string) => string;
  readonly log: Logger;
  readonly nowMs: () => number;
}

/** No page takes the place of the control plane itself, whoever claims its name: where nobody said which name that is, each may be. */
export function createPageDomains(deps: PageDomainDeps): PageDomains {
  const { pageDomains, publicUrl, pageDomainsTrusted, nowMs } = deps;
  const ownHost = publicUrl === null ? null : new URL(publicUrl).hostname;
  const memory = shortMemory<boolean>({ ttlMs, maxEntries, nowMs });
  const looks = shortMemory<void>({ ttlMs: lookAgainMs, maxEntries, nowMs });
  const mayBe = (host: string): boolean => ownHost !== null && CustomDomain.safeParse(host).success && isIP(host) === 0 && host !== ownHost;

  async function claimOf(host: string): Promise<DomainClaim | undefined> {
    if (!mayBe(host)) return undefined;
    const claims = await pageDomains.claimsOf(host);
    const [first] = claims;
    if (first === undefined || first.provenAtMs !== null || pageDomainsTrusted) return first;
    // Nobody waits for name servers that whoever claims the domain chose.
    looks(host, () => prove(deps, host, claims)).catch((err: unknown) => deps.log.warn({ domain: host, err }, "cannot verify a domain"));
    return undefined;
  }

  return { claimOf, isTaken: async (host) => mayBe(host) && memory(host, async () => (await claimOf(host)) !== undefined) };
}

async function prove({ pageDomains, pageDomainDns, hashOf, log, nowMs }: PageDomainDeps, domain: string, claims: readonly DomainClaim[]) {
  const texts = new Set(await challengeTexts(domain, pageDomainDns));
  const proven = claims.find((claim) => texts.has(domainRecord(hashOf, claim).value));
  if (proven === undefined) return;
  await pageDomains.prove(proven.claim, nowMs());
  log.info({ domain, accountId: proven.accountUuid }, "verified the domain of a page");
}

export interface PageFinderDeps {
  readonly documents: Pick<DocumentStore, "byClaim">;
  readonly domains: PageDomains;
}

/** Stands in a path for the page whose own domain the browser asked for. No page can have it as its url. */
export const ownDomain = "~";

/** Finds pages by the `{url}` of a path, or by their own domain, where there are no others. The first claim that a page has counts. */
export function pageFinder<D>({ documents, domains }: PageFinderDeps, kind: DocumentKind, claimsOf: (url: string) => readonly string[]) {
  const byDomain = async (host: string): Promise<DocumentRow<D> | undefined> => {
    const claim = await domains.claimOf(host);
    return claim?.kind === kind ? documents.byClaim<D>(kind, claim.claim) : undefined;
  };
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
