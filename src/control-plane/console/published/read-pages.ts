import { listStatusPages } from "#contract/status-pages/pages.ts";
import { listStatusPageServices, type StatusPageService } from "#contract/status-pages/services.ts";
import type { Ask } from "../ask.ts";
import type { Visit } from "../visit.ts";
import type { ListedStatusPage } from "./page-words.ts";

/** All status pages of the account. */
export async function allStatusPages(ask: Ask, visit: Visit): Promise<readonly ListedStatusPage[]> {
  const all: ListedStatusPage[] = [];
  let after: string | null = null;
  do {
    const query: Readonly<Record<string, string>> = { limit: "100", ...(after !== null && { nextId: after }) };
    const { entries, nextId } = await ask(visit, listStatusPages, { query });
    all.push(...entries);
    after = nextId;
  } while (after !== null);
  return all;
}

/** All services that status pages of the account may show. */
export async function allServices(ask: Ask, visit: Visit): Promise<readonly StatusPageService[]> {
  return (await ask(visit, listStatusPageServices, { query: { paginated: "false" } })).entries;
}
