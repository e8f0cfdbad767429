import type { Migration } from "./migration.ts";

/**
 * Several accounts may claim a domain; the one that proves it has it. `proven_at` goes with the claim, so with the page or when the page gets
 * another domain. Pages that answered under a domain before keep it: their claims count as proved.
 */
export const pageDomains: Migration = {
  version: 46,
  statements: (engine) => {
    const ofDocument = (column: string): string => `(select ${column} from documents where documents.id = document_claims.document_id)`;
    return [
      `alter table document_claims add column proven_at ${engine === "sqlite" ? "integer" : "bigint"}`,
      `update document_claims set proven_at = ${ofDocument("created_at")},
        claim = 'page-domain:' || ${ofDocument("account_id")} || ':' || substr(claim, 13) where claim like 'page-domain:%'`,
    ];
  },
};
