import { Resolver } from "node:dns/promises";
import type { DomainClaim } from "../storage/storage.ts";

const deadlineMs = 5_000;

export interface DomainRecord {
  readonly type: "TXT";
  readonly name: string;
  readonly value: string;
}

/** What shows that a domain is an account's: whoever may write into its zone made it. Nothing of it is stored, as it follows from the two. */
export function domainRecord(
  hashOf: (text: string) => string,
  { accountUuid, domain }: Pick<DomainClaim, "accountUuid" | "domain">,
): DomainRecord {
  const proof = hashOf(`page-domain:${accountUuid}:${domain}`).slice(0, 32);
  return { type: "TXT", name: `_outpost-challenge.${domain}`, value: `outpost-page=${proof}` };
}

/**
 * The texts that stand in the zone of a domain for us; none where the name servers have none or do not answer within 5 s.
 *
 * @param servers addresses with or without a port; the host's name servers when empty
 */
export async function challengeTexts(domain: string, servers: readonly string[]): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  const deadline = setTimeout(() => resolver.cancel(), deadlineMs);
  try {
    return (await resolver.resolveTxt(`_outpost-challenge.${domain}`)).map((parts) => parts.join("").trim());
  } catch (error) {
    if (isDnsError(error)) return [];
    throw error;
  } finally {
    clearTimeout(deadline);
  }
}

/** Whatever the name servers said, the domain is not proved by it. */
function isDnsError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "queryTxt";
}
