import { sql } from "kysely";
import type { Engine } from "../engine.ts";
import type { DocumentKind, DomainClaim, PageDomainStore } from "../storage.ts";

export function pageDomainStore({ db, reads }: Engine): PageDomainStore {
  const columns = ["claim", "proven_at", "documents.id", "kind", "accounts.id as account_id", "accounts.uuid as account_uuid"] as const;
  return {
    async claimsOf(domain) {
      // One look into the key for each account, of which there are few: SQLite keeps the order of a cross join, and might read all claims else.
      const wanted = sql<string>`'page-domain:' || accounts.id || ':' || ${domain.toLowerCase()}`;
      const rows = await reads
        .selectFrom("accounts")
        .crossJoin("document_claims")
        .innerJoin("documents", "documents.id", "document_claims.document_id")
        .whereRef("documents.account_id", "=", "accounts.id")
        .where("claim", "=", wanted)
        .select(columns)
        .execute();
      return rows.toSorted((a, b) => (a.proven_at ?? Infinity) - (b.proven_at ?? Infinity) || a.id - b.id).map(claimOf);
    },
    async ofAccount(accountId) {
      const rows = await reads
        .selectFrom("accounts")
        .innerJoin("documents", "documents.account_id", "accounts.id")
        .innerJoin("document_claims", "document_claims.document_id", "documents.id")
        .where("accounts.id", "=", accountId)
        .where("claim", "like", "page-domain:%")
        .select(columns)
        .execute();
      return rows.map(claimOf).toSorted((a, b) => (a.domain < b.domain ? -1 : 1));
    },
    async prove(claim, nowMs) {
      await db.updateTable("document_claims").set({ proven_at: nowMs }).where("claim", "=", claim).where("proven_at", "is", null).execute();
    },
  };
}

interface Row {
  readonly claim: string;
  readonly proven_at: number | null;
  readonly kind: DocumentKind;
  readonly account_id: number;
  readonly account_uuid: string;
}

function claimOf({ claim, proven_at: provenAtMs, kind, account_id: accountId, account_uuid: accountUuid }: Row): DomainClaim {
  return { claim, domain: claim.split(":").slice(2).join(":"), kind, accountId, accountUuid, provenAtMs };
}
