import type { AccountRow, AccountStore } from "../../storage/storage.ts";
import { overviewTexts } from "../../texts/overview.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { addressOf, type Filter, filterOf } from "./filter.ts";

/* Views of the list that an account keeps under a name, in its settings: clients do not see them. */

const texts = overviewTexts.saved;
export const mostViews = 30;
const longestName = 60;

export interface SavedView {
  readonly name: string;
  /** Of the list, as `addressOf` makes it. */
  readonly address: string;
}

export function savedViews({ settings }: Pick<AccountRow, "settings">): readonly SavedView[] {
  const stored = settings["savedViews"];
  return Array.isArray(stored) ? (stored as readonly SavedView[]) : [];
}

/** Saving and deleting; both lead back to the list. What cannot be saved is told there. */
export function savedViewPages({ accounts }: { readonly accounts: Pick<AccountStore, "update"> }): readonly ConsolePage[] {
  const keep = async (visit: Visit, change: (views: readonly SavedView[]) => readonly SavedView[]): Promise<void> => {
    await accounts.update(visit.account.id, ({ settings }) => ({
      settings: { ...settings, savedViews: change(savedViews({ settings })) },
    }));
  };
  return [
    {
      method: "POST",
      path: "/checks/views",
      access: "write",
      answer: async (visit) => {
        const { form } = visit.request;
        const name = (form.get("name") ?? "").trim();
        const filter = filterOf(new URLSearchParams(form.get("list") ?? ""));
        const problem = problemOf(name, savedViews(visit.account));
        if (problem !== null) return redirect(withProblem(filter, problem));
        const address = addressOf(filter, {});
        await keep(visit, (views) => [...views.filter((view) => view.name !== name), { name, address }].slice(-mostViews));
        await visit.audit("saveView", null, ["name", "list"]);
        return redirect(address);
      },
    },
    {
      method: "POST",
      path: "/checks/views/delete",
      access: "write",
      answer: async (visit) => {
        const name = visit.request.form.get("name") ?? "";
        await keep(visit, (views) => views.filter((view) => view.name !== name));
        await visit.audit("deleteView", null, ["name"]);
        return redirect("/checks");
      },
    },
  ];
}

export type ViewProblem = "noName" | "taken" | "tooMany";

function problemOf(name: string, views: readonly SavedView[]): ViewProblem | null {
  if (name === "" || name.length > longestName) return "noName";
  if (views.some((view) => view.name === name)) return "taken";
  return views.length >= mostViews ? "tooMany" : null;
}

function withProblem(filter: Filter, problem: ViewProblem): string {
  const address = addressOf(filter, { page: filter.page });
  return `${address}${address.includes("?") ? "&" : "?"}unsaved=${problem}`;
}

export function problemText(problem: string | null): string | null {
  if (problem === "tooMany") return texts.tooMany(mostViews);
  return problem === "noName" || problem === "taken" ? texts[problem] : null;
}
