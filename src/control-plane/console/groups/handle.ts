import { roleAllows } from "#domain/key.ts";
import type { IndexedCheck } from "../../storage/storage.ts";
import { groupTexts as texts } from "../../texts/groups.ts";
import { type Html, html } from "../../view/html.ts";
import { hidden, postForm } from "../form-view.ts";
import type { Member } from "../overview/row-acts.ts";
import type { Visit } from "../visit.ts";

/** The target that takes a check out of its group. */
export const noGroup = "none";

/** What `browser/groups.ts` picks a check up with, by a click or a key; it shows it, as without a script there is nothing to pick up. */
export function handle({ role }: Member, { name }: Pick<IndexedCheck, "name">): Html | false {
  return (
    roleAllows(role, "write") &&
    html`<button class="quiet handle" type="button" aria-pressed="false" hidden><span aria-hidden="true">⠿</span><span class="hidden">${texts.handle(name)}</span></button>`
  );
}

/** Where a check that was picked up can be put, while there is one. */
export function dropButton({ role }: Member, groupName: string): Html | false {
  return roleAllows(role, "write") && html`<button class="quiet drop" type="button" hidden>${texts.dropHere(groupName)}</button>`;
}

/**
 * Moves the checks that are ticked for it. `content` says where to, in a field `to`.
 *
 * @param back the group whose page it stands on; null: the list of groups
 */
export function moveForm({ csrf }: Visit, id: string, back: number | null, content: Html): Html {
  const fields = html`${back !== null && hidden("back", String(back))}${content}`;
  return postForm("/groups/move", csrf, fields, "moves", id);
}

/** Says to readers of the screen what was picked up. */
export const carried = html`<p class="box carried" role="status" data-carrying="${texts.carrying}"></p>`;
