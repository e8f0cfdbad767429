import { isPinged } from "#contract/checks/traits.ts";
import { roleAllows } from "#domain/key.ts";
import { mutedNow } from "#domain/muted-for.ts";
import type { IndexedCheck } from "../../storage/storage.ts";
import { checkPageTexts } from "../../texts/check-page.ts";
import { overviewTexts as texts } from "../../texts/overview.ts";
import { type Html, html } from "../../view/html.ts";
import { hidden, postForm } from "../form-view.ts";
import type { Visit } from "../visit.ts";
import { addressOf, type Filter } from "./filter.ts";

/** The form that the buttons of all rows send, so that a row, which comes live, too, needs no token. */
const formId = "row-acts";

export type Member = Pick<Visit, "role">;

/** @param back where its buttons lead back to: the list as it is, or the page of a group, by its number */
export function rowForm({ role, csrf }: Pick<Visit, "role" | "csrf">, back: Filter | number): Html {
  if (!roleAllows(role, "run")) return html``;
  // Its address is the buttons' own; without one it is the list's, where nothing takes forms.
  return postForm("/checks", csrf, html`${backField(back)}${hidden("hours", "1")}`, "", formId);
}

function backField(back: Filter | number): Html {
  if (typeof back === "number") return hidden("group", String(back));
  const [, query = ""] = addressOf(back, { page: back.page }).split("?");
  return hidden("list", query);
}

/** What can be done with a check, behind one button of its row, which opens without a script. */
export function rowActs({ role }: Member, check: IndexedCheck, nowMs: number): Html | false {
  if (!roleAllows(role, "run")) return false;
  const { uuid, name, type, activated } = check;
  const button = (to: string, label: string): Html =>
    html`<li><button class="quiet" form="${formId}" formaction="/checks/${uuid}/${to}">${label}</button></li>`;
  const link = (to: string, label: string): Html => html`<li><a href="${to}">${label}</a></li>`;
  const { names, muteHour } = checkPageTexts.switches;
  const isMuted = mutedNow(check, nowMs) !== null;
  const ofWriters = roleAllows(role, "write") && [
    link(`/checks/${uuid}/edit`, checkPageTexts.change),
    link(`/checks/new?from=${uuid}`, checkPageTexts.duplicate),
    activated ? button("deactivate", names.deactivate) : button("activate", names.activate),
    isMuted ? button("unmute", names.unmute) : button("mute-for", muteHour),
    link(`/checks/${uuid}/delete`, texts.delete),
  ];
  if (isPinged(type) && ofWriters === false) return false;
  return html`<details class="menu acts" name="row-acts"><summary><span class="hidden">${texts.actsOf(name)}</span><span aria-hidden="true">⋯</span></summary><ul>${!isPinged(type) && button("run", checkPageTexts.runNow)}${ofWriters}</ul></details>`;
}
