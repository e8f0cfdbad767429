import type { ProjectStore } from "../../storage/storage.ts";
import type { ConsolePage } from "../visit.ts";

export interface CodeOwnerDeps {
  readonly projects: Pick<ProjectStore, "owners">;
}

/** Types of what code can own, by where the pages of such objects are. The second is what another resource makes of the same object. */
const ownedAt: Readonly<Record<string, readonly string[]>> = {
  "/checks": ["check"],
  "/groups": ["check-group"],
  "/channels": ["alert-channel"],
  "/maintenance": ["maintenance-window"],
  "/locations": ["private-location"],
  "/pages/dashboards": ["dashboard"],
  "/pages/status": ["status-page"],
  "/pages/services": ["status-page-service", "status-page-component"],
};

/** A page of one object, which then tells what code owns the object; where it takes changes, with a warning. */
export function withCodeOwner({ projects }: CodeOwnerDeps, page: ConsolePage): ConsolePage {
  const [, place = "", parameter = ""] = /^(.+?)\/\{(\w+)\}(?:\/(?:edit|delete))?$/.exec(page.path) ?? [];
  const types = ownedAt[place];
  if (types === undefined) return page;
  return {
    ...page,
    answer: async (visit) => {
      const id = (visit.request.params[parameter] ?? "").toLowerCase();
      const owners = await Promise.all(types.map((type) => projects.owners(visit.account.id, type, [id])));
      const owner = owners.flatMap((byId) => byId.get(id) ?? [])[0];
      return page.answer(owner === undefined ? visit : { ...visit, codeOwner: { ...owner, isChanged: page.access === "write" } });
    },
  };
}
