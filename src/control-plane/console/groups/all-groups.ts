import { listCheckGroups } from "#contract/check-groups.ts";
import type { Ask } from "../ask.ts";
import type { Stored } from "../kind-pages.ts";
import type { Visit } from "../visit.ts";

/** A group as it is read over REST. */
export type StoredGroup = Stored<"check-group">;

const pageSize = 100;

/** All groups of the account, the oldest first. */
export async function allGroups(ask: Ask, visit: Visit): Promise<readonly StoredGroup[]> {
  const groups: StoredGroup[] = [];
  for (let page = 1; ; page += 1) {
    const { items, total } = await ask(visit, listCheckGroups, { query: { limit: String(pageSize), page: String(page) } });
    groups.push(...items);
    if (items.length === 0 || groups.length >= total) return groups;
  }
}
