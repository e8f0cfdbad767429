import { checkWrites, getCheckV1, updateCheck } from "#contract/checks/operations.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { roleAllows } from "#domain/key.ts";
import { checkFormTexts } from "../../texts/check-form.ts";
import { checkPageTexts } from "../../texts/check-page.ts";
import { type Html, html } from "../../view/html.ts";
import type { Ask } from "../ask.ts";
import type { CheckRead } from "../check-types/check-type.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { postForm } from "../form-view.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";

const texts = checkPageTexts.switches;

/** What one click does, and undoes with the button that stands in its place then. */
const switches = {
  deactivate: { activated: false },
  activate: { activated: true },
  mute: { muted: true },
  unmute: { muted: false },
} as const;

type SwitchName = keyof typeof switches;

export function checkSwitches(ask: Ask): readonly ConsolePage[] {
  return (Object.keys(switches) as SwitchName[]).map((name) => ({
    method: "POST",
    path: `/checks/{id}/${name}`,
    access: "write",
    answer: async (visit) => {
      const check = await ask(visit, getCheckV1, { params: { id: visit.request.params["id"] ?? "" } });
      // What the body leaves out stays as it is.
      await ask(visit, updateOf(check.checkType), { params: { id: check.id }, body: switches[name] });
      return redirect(`/checks/${check.id}?done=${name}`);
    },
  }));
}

/** Some types are written by the operations of all types. */
function updateOf(type: CheckTypeName) {
  return Object.entries(checkWrites).find(([name]) => name === type)?.[1].update ?? updateCheck;
}

/** For whoever may write; deleting asks once more. */
export function switchButtons(visit: Visit, { id, name, activated, muted }: CheckRead): Html {
  if (!roleAllows(visit.role, "write")) return html``;
  const button = (to: SwitchName): Html =>
    postForm(`/checks/${id}/${to}`, visit.csrf, html`<button class="quiet">${texts.names[to]}</button>`);
  return html`${button(activated ? "deactivate" : "activate")}${button(muted ? "unmute" : "mute")}${confirmedAction(visit.csrf, `/checks/${id}/delete`, checkFormTexts.deleteQuestion(name), checkFormTexts.delete, name)}`;
}
